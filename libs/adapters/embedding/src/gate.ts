import { toRepotideError } from '@core/domain';

/** Lets a fixed number of tasks run at once; the others wait in line. */
export class Gate {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /**
   * Runs the task when there is room; stops waiting at once when the signal fires.
   * @param isUrgent goes to the head of the line: somebody waits for the answer.
   */
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
