import { RepotideError } from '@core/domain';
import { type GitProcess } from './run-git.js';

export interface TimeLimits {
  /** Until a process writes the next part of its output. */
  silenceMs: number;
  /** Limits all work on one pack; waiting for the network does not count. */
  packMs: number;
}

/** Far above what the largest trees and packs need on a busy machine. */
export const TIME_LIMITS: TimeLimits = { silenceMs: 120_000, packMs: 600_000 };

/** What a process writes. @throws invalid `git_too_slow`, and ends the process, when it is silent for too long. */
export async function* outputOf(child: GitProcess, { silenceMs }: TimeLimits): AsyncGenerator<Buffer> {
  const chunks = (child.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const next = await endAfter(child, silenceMs, chunks.next());
    if (next.done === true) return;
    yield next.value;
  }
}

/** Adds up the time for which the service waits for a process. */
export class WaitLimit {
  #leftMs: number;

  constructor(
    private readonly child: GitProcess,
    limitMs: number,
  ) {
    this.#leftMs = limitMs;
  }

  /** @throws as {@link outputOf}; and what the work throws. */
  async for<T>(work: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await endAfter(this.child, this.#leftMs, work);
    } finally {
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - began));
    }
  }
}

/** The work ends with the process. */
async function endAfter<T>(child: GitProcess, limitMs: number, work: Promise<T>): Promise<T> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill();
  }, limitMs);
  try {
    const result = await work;
    if (!isLate) return result;
  } catch (thrown) {
    if (!isLate) throw thrown;
  } finally {
    clearTimeout(timer);
  }
  // It writes no more, so its directory can be removed.
  await child.ended.catch(() => undefined);
  throw tooSlow();
}

function tooSlow(): RepotideError {
  const message =
    'git needed too much time for the trees and contents that the code host sent, and was stopped. ' +
    'Look for a slow temporary directory or a hostile repository; SOURCE_TRANSPORT=rest reads through the API.';
  return new RepotideError('invalid', 'git_too_slow', message);
}
