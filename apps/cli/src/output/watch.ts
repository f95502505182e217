import { pause } from '../service/client.js';

const CLEAR = '\x1b[H\x1b[2J\x1b[3J';

/** Shows a list again and again until Ctrl-C; without an interval once. */
export async function watch(
  everySeconds: number | undefined,
  signal: AbortSignal,
  show: () => Promise<void>,
): Promise<void> {
  if (everySeconds === undefined) return show();
  while (!signal.aborted) {
    if (process.stdout.isTTY) process.stdout.write(CLEAR);
    await show();
    // Ctrl-C is how a watch ends, so it is no failure.
    await pause(everySeconds * 1000, signal).catch(() => undefined);
  }
}
