import { type CircuitState } from '@core/domain';

const MAX_FAILURES = 3;
const PAUSE_MS = 60_000;
/** https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
const CREDENTIALS = /\b(NOAUTH|WRONGPASS|NOPERM)\b/;

/**
 * After three failures in a row, calls are suspended for a minute; then one call tests whether the outage is over.
 * Rejected credentials disable calls until the process restarts.
 */
export class CircuitBreaker {
  private failures = 0;
  private current: CircuitState = 'closed';
  private openUntilMs = 0;
  private isTrying = false;

  /** @param monotonicMs milliseconds that never go backwards. */
  constructor(
    private readonly monotonicMs: () => number,
    private readonly onChange: (state: CircuitState, reason: string) => void,
  ) {}

  state(): CircuitState {
    if (this.current === 'open' && this.monotonicMs() >= this.openUntilMs) return 'half_open';
    return this.current;
  }

  /**
   * @returns the result of the work, or `fallback` when it fails or is not tried. Never throws.
   */
  async run<T>(work: () => Promise<T>, fallback: T, reasonOf: (thrown: unknown) => string): Promise<T> {
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
      this.onFailure(reasonOf(error));
      return fallback;
    } finally {
      if (isTrial) this.isTrying = false;
    }
  }

  private onSuccess(): void {
    this.failures = 0;
    // A success of work that started before the outage does not end it.
    if (this.state() === 'half_open') this.change('closed', 'Redis responds again');
  }

  private onFailure(reason: string): void {
    if (CREDENTIALS.test(reason)) return this.change('disabled', reason);
    this.failures++;
    const state = this.state();
    if (state !== 'half_open' && (state !== 'closed' || this.failures < MAX_FAILURES)) return;
    this.openUntilMs = this.monotonicMs() + PAUSE_MS;
    this.change('open', reason);
  }

  private change(state: CircuitState, reason: string): void {
    const isReported = this.current !== state || state === 'open';
    this.current = state;
    this.failures = 0;
    if (isReported) this.onChange(state, reason);
  }
}
