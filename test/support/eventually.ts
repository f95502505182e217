import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when it holds; a test that waits in vain ends by jest's own timeout, with this call in its stack. */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(10);
}
