/** The state of one key's limit after a request. */
export interface RateVerdict {
  isAllowed: boolean;
  /** Requests allowed at this moment. */
  remaining: number;
  /** Until the full limit is available again. */
  resetSeconds: number;
  /** Until another request is allowed; 0 if this one is allowed. */
  retryAfterSeconds: number;
}

/** Counts requests to the API among all pods. */
export abstract class RequestLimits {
  /**
   * Counts one request of this key. A key may use a whole minute's limit at once and gets it back at the limit's rate.
   * Never throws. Null: the pods share no state, or it does not answer; then each pod decides by its own count.
   */
  abstract take(key: string, perMinute: number): Promise<RateVerdict | null>;
}
