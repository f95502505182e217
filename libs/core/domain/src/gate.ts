import { toRepotideError } from './errors.js';

/** Runs a fixed number of tasks at once; the others wait in a queue. */
export class Gate {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Stops waiting as soon as the signal fires. An urgent task goes to the front of the queue: a person waits for it. */
  async run<T>(task: () => Promise<T>, isUrgent: boolean, signal: AbortSignal): Promise<T> {
    if (this.free > 0) this.free--;
    else await this.wait(isUrgent, signal);
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }

  private wait(isUrgent: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(toRepotideError(signal.reason));
      };
      if (signal.aborted) return reject(toRepotideError(signal.reason));
      signal.addEventListener('abort', giveUp, { once: true });
      if (isUrgent) this.waiting.unshift(enter);
      else this.waiting.push(enter);
    });
  }
}
