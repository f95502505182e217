import { setMaxListeners } from 'node:events';

/** Calls `wake` once after `ms`. @returns keeps it from doing so. */
export type StartTimer = (ms: number, wake: () => void) => () => void;

const realTimer: StartTimer = (ms, wake) => {
  const timer = setTimeout(wake, ms);
  return () => clearTimeout(timer);
};

/** Somebody who sleeps between two looks. A call that comes while awake is not lost: the next sleep ends at once. */
export class Sleeper {
  private end: (() => void) | null = null;
  private isCalled = false;

  constructor(private readonly startTimer: StartTimer = realTimer) {}

  /** Ends by time, by a call, or by the signal; never with an error. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.isCalled || signal.aborted) {
        this.isCalled = false;
        return resolve();
      }
      // A run's signal serves all its requests; Node takes more than ten listeners for a leak.
      setMaxListeners(0, signal);
      const end = (): void => {
        this.end = null;
        stopTimer();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const stopTimer = this.startTimer(ms, end);
      signal.addEventListener('abort', end, { once: true });
      this.end = end;
    });
  }

  call(): void {
    if (this.end) this.end();
    else this.isCalled = true;
  }
}
