import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the expectation holds. Without success the test ends by jest's timeout, with this call in its stack. */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(10);
}
