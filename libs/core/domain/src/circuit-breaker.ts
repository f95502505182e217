import { type CircuitState } from './progress.js';

const MAX_FAILURES = 3;

/** What a thrown error says about the server: `fatal` ends all calls of this process, `none` counts as no call. */
export type FaultVerdict = 'failure' | 'fatal' | 'none';

export interface CircuitOptions {
  /** How long calls are suspended. */
  pauseMs: number;
  /** Milliseconds that never go backwards. */
  monotonicMs: () => number;
  reasonOf: (thrown: unknown) => string;
  /** Default: each error is a failure. */
  verdictOf?: (thrown: unknown) => FaultVerdict;
  onChange: (state: CircuitState, reason: string) => void;
}

/** After three failures in a row, calls are suspended for a while; then one call tests whether the outage is over. */
export class CircuitBreaker {
  private failures = 0;
  private current: CircuitState = 'closed';
  private openUntilMs = 0;
  private isTrying = false;

  constructor(private readonly options: CircuitOptions) {}

  state(): CircuitState {
    if (this.current === 'open' && this.options.monotonicMs() >= this.openUntilMs) return 'half_open';
    return this.current;
  }

  /**
   * @returns the result of the work, or `fallback` when it fails or is not tried. Never throws.
   */
  async run<T>(work: () => Promise<T>, fallback: T): Promise<T> {
    const state = this.state();
    if (state === 'open' || state === 'disabled') return fallback;
    const isTrial = state === 'half_open';
    if (isTrial && this.isTrying) return fallback;
    if (isTrial) this.isTrying = true;
    try {
      const result = await work();
      this.onSuccess();
      return result;
    } catch (error) {
      this.onError(error);
      return fallback;
    } finally {
      if (isTrial) this.isTrying = false;
    }
  }

  private onSuccess(): void {
    this.failures = 0;
    // A success of work that started before the outage does not end it.
    if (this.state() === 'half_open') this.change('closed', 'the server responds again');
  }

  private onError(error: unknown): void {
    const verdict = this.options.verdictOf?.(error) ?? 'failure';
    if (verdict === 'none') return;
    const reason = this.options.reasonOf(error);
    if (verdict === 'fatal') return this.change('disabled', reason);
    this.failures++;
    const state = this.state();
    if (state !== 'half_open' && (state !== 'closed' || this.failures < MAX_FAILURES)) return;
    this.openUntilMs = this.options.monotonicMs() + this.options.pauseMs;
    this.change('open', reason);
  }

  private change(state: CircuitState, reason: string): void {
    const isReported = this.current !== state || state === 'open';
    this.current = state;
    this.failures = 0;
    if (isReported) this.options.onChange(state, reason);
  }
}
