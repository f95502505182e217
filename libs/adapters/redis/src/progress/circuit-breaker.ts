export type BreakerState = 'closed' | 'open' | 'disabled';

/** Failures in a row that open the circuit, and how long it stays open. */
const MAX_FAILURES = 3;
const PAUSE_MS = 60_000;

/**
 * Keeps a display that nobody depends on from costing anything while its store is in trouble: after three failures in
 * a row nothing is tried for a minute; a refused password ends it for good.
 */
export class CircuitBreaker {
  private failures = 0;
  private openUntilMs = 0;
  private isDisabled = false;

  /** @param monotonicMs milliseconds that never go backwards. */
  constructor(
    private readonly monotonicMs: () => number,
    private readonly onChange: (state: BreakerState, reason: string) => void,
  ) {}

  state(): BreakerState {
    if (this.isDisabled) return 'disabled';
    return this.monotonicMs() < this.openUntilMs ? 'open' : 'closed';
  }

  /** @returns what the work answers, or `fallback` when it fails or is not tried. Never throws. */
  async run<T>(work: () => Promise<T>, fallback: T): Promise<T> {
    if (this.state() !== 'closed') return fallback;
    try {
      const answer = await work();
      this.failures = 0;
      return answer;
    } catch (error) {
      this.noteFailure(error instanceof Error ? error.message : String(error));
      return fallback;
    }
  }

  private noteFailure(reason: string): void {
    if (/\b(NOAUTH|WRONGPASS|NOPERM)\b/.test(reason)) {
      this.isDisabled = true;
      this.onChange('disabled', reason);
      return;
    }
    if (++this.failures < MAX_FAILURES) return;
    this.failures = 0;
    this.openUntilMs = this.monotonicMs() + PAUSE_MS;
    this.onChange('open', reason);
  }
}
