import { type BoardState } from '@core/domain';

/** Failures in a row that open the circuit, and how long it stays open. */
const MAX_FAILURES = 3;
const PAUSE_MS = 60_000;
/** https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
const CREDENTIALS = /\b(NOAUTH|WRONGPASS|NOPERM)\b/;

/**
 * Keeps a display that nobody depends on from costing anything while its store is in trouble: after three failures in
 * a row nothing is tried for a minute, then one piece of work shows whether the trouble is over. Refused credentials
 * end it for good.
 */
export class CircuitBreaker {
  private failures = 0;
  private current: BoardState = 'closed';
  private openUntilMs = 0;
  private isTrying = false;

  /** @param monotonicMs milliseconds that never go backwards. */
  constructor(
    private readonly monotonicMs: () => number,
    private readonly onChange: (state: BoardState, reason: string) => void,
  ) {}

  state(): BoardState {
    if (this.current === 'open' && this.monotonicMs() >= this.openUntilMs) return 'half_open';
    return this.current;
  }

  /**
   * @param reasonOf what an error of the work means.
   * @returns what the work answers, or `fallback` when it fails or is not tried. Never throws.
   */
  async run<T>(work: () => Promise<T>, fallback: T, reasonOf: (thrown: unknown) => string): Promise<T> {
    const state = this.state();
    if (state === 'open' || state === 'disabled') return fallback;
    const isTrial = state === 'half_open';
    if (isTrial && this.isTrying) return fallback;
    if (isTrial) this.isTrying = true;
    try {
      const answer = await work();
      this.noteSuccess();
      return answer;
    } catch (error) {
      this.noteFailure(reasonOf(error));
      return fallback;
    } finally {
      if (isTrial) this.isTrying = false;
    }
  }

  private noteSuccess(): void {
    this.failures = 0;
    // Work that began before the trouble says nothing about its end.
    if (this.state() === 'half_open') this.change('closed', 'it answers again');
  }

  private noteFailure(reason: string): void {
    if (CREDENTIALS.test(reason)) return this.change('disabled', reason);
    this.failures++;
    const state = this.state();
    if (state !== 'half_open' && (state !== 'closed' || this.failures < MAX_FAILURES)) return;
    this.openUntilMs = this.monotonicMs() + PAUSE_MS;
    this.change('open', reason);
  }

  private change(state: BoardState, reason: string): void {
    const isNews = this.current !== state || state === 'open';
    this.current = state;
    this.failures = 0;
    if (isNews) this.onChange(state, reason);
  }
}
