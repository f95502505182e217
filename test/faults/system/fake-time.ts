import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** Where Debian and Ubuntu (`apt-get install faketime`) and Alpine put it. */
const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/faketime/libfaketimeMT.so.1',
];
const INSTALL = 'test "$(id -u)" = 0 && apt-get install -y --no-install-recommends faketime';
const TIMEOUT_MS = 120_000;

const library = (): string | undefined => LIBRARIES.find((path) => existsSync(path));

/** Installs libfaketime where it is missing and this process may. */
export async function installFakeTime(): Promise<void> {
  if (canFakeTime()) return;
  await promisify(execFile)('sh', ['-c', INSTALL], { timeout: TIMEOUT_MS }).catch(() => undefined);
}

/** Whether wall clocks of processes can be set apart here. */
export function canFakeTime(): boolean {
  return library() !== undefined;
}

/** The environment in which a process's wall clock is so far ahead; its monotonic clock stays true, as on a real node. */
export function fakeTime(skewSeconds: number): Record<string, string> {
  const path = library();
  if (skewSeconds === 0 || path === undefined) return {};
  const sign = skewSeconds < 0 ? '-' : '+';
  return {
    LD_PRELOAD: path,
    FAKETIME: `${sign}${Math.abs(skewSeconds)}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}
