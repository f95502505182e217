import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** Paths on Debian and Ubuntu (`apt-get install faketime`) and on Alpine. */
const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/faketime/libfaketimeMT.so.1',
];
const INSTALL = 'test "$(id -u)" = 0 && apt-get install -y --no-install-recommends faketime';
const TIMEOUT_MS = 120_000;

const library = (): string | undefined => LIBRARIES.find((path) => existsSync(path));

/** Installs libfaketime when it is missing and this process has the right to. */
export async function installFakeTime(): Promise<void> {
  if (canFakeTime()) return;
  await promisify(execFile)('sh', ['-c', INSTALL], { timeout: TIMEOUT_MS }).catch(() => undefined);
}

/** Whether processes on this machine can have different wall clocks. */
export function canFakeTime(): boolean {
  return library() !== undefined;
}

/** Environment that sets a process's wall clock ahead by so many seconds. Its monotonic clock stays right, as on a real node. */
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
