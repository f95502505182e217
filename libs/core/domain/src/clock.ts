/** This process's clock: arms timers and measures; the database's clock decides what is due. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never go backwards. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
