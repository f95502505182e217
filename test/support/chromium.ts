import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 180_000;

export const CHROMIUM_MISSING =
  'Chromium is not installed: on Debian "apt-get install chromium"; CHROMIUM_PATH names another one.';

/** One at a time on this machine, and looked for again under the lock. */
const INSTALL = `
test "$(id -u)" = 0 && command -v apt-get || exit 0
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install="apt-get install -y --no-install-recommends chromium"
exec flock "\${TMPDIR:-/tmp}/repotide-chromium-install.lock" sh -c "test -e /usr/bin/chromium || $install || { apt-get update && $install; }"`;

/** Installs Chromium where it is missing and this process may. @returns its path; null where it cannot be had. */
export async function findChromium(): Promise<string | null> {
  if (!locate()) await promisify(execFile)('sh', ['-c', INSTALL], { timeout: TIMEOUT_MS }).catch(() => null);
  return locate();
}

function locate(): string | null {
  const { CHROMIUM_PATH } = process.env;
  return [...(CHROMIUM_PATH ? [CHROMIUM_PATH] : []), ...PATHS].find((path) => existsSync(path)) ?? null;
}

/** A browser that asks nobody but the page's own server. */
export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    timeout: START_TIMEOUT_MS,
    // Root has no sandbox; containers have little shared memory.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
