import { existsSync } from 'node:fs';

/** Where Debian and Ubuntu (`apt-get install faketime`) and Alpine put it. */
const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/faketime/libfaketimeMT.so.1',
];

const library = LIBRARIES.find((path) => existsSync(path));

/** Whether wall clocks of processes can be set apart here. */
export const canFakeTime = library !== undefined;

/** The environment in which a process's wall clock is so far ahead; its monotonic clock stays true, as on a real node. */
export function fakeTime(skewSeconds: number): Record<string, string> {
  if (skewSeconds === 0 || library === undefined) return {};
  const sign = skewSeconds < 0 ? '-' : '+';
  return {
    LD_PRELOAD: library,
    FAKETIME: `${sign}${Math.abs(skewSeconds)}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}
