/** The clock of this process, for timers and durations. The database's clock decides what is due. */
export abstract class Clock {
  abstract now(): Date;
  /** Milliseconds that never go backwards. */
  abstract monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
