import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

/** The headless shell first: without the parts that draw a window, it needs a quarter of the processor time. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 180_000;

export const CHROMIUM_MISSING =
  'Chromium is not installed: on Debian "apt-get install chromium-headless-shell"; CHROMIUM_PATH names another one.';

/** The lock allows one installation at a time on this machine; the holder searches again before it installs. */
const INSTALL = `
test "$(id -u)" = 0 && command -v apt-get || exit 0
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install="apt-get install -y --no-install-recommends"
try="$install chromium-headless-shell || $install chromium"
exec flock "\${TMPDIR:-/tmp}/repotide-chromium-install.lock" sh -c "ls ${PATHS.join(' ')} 2>/dev/null | grep -q . || { $try; } || { apt-get update && { $try; }; }"`;

/** Installs Chromium when it is missing and this process has the right to. @returns its path; null when it is not available. */
export async function findChromium(): Promise<string | null> {
  if (!locate()) await promisify(execFile)('sh', ['-c', INSTALL], { timeout: TIMEOUT_MS }).catch(() => null);
  return locate();
}

function locate(): string | null {
  const { CHROMIUM_PATH } = process.env;
  return [...(CHROMIUM_PATH ? [CHROMIUM_PATH] : []), ...PATHS].find((path) => existsSync(path)) ?? null;
}

/** A browser that connects only to the page's own server. */
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
