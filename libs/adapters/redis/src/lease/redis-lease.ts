import { leaseLost, type Lease } from '@core/domain';
import { type SharedInstant, monotonicMs } from './shared-instant.js';

export interface LeaseTerms {
  /** The lease counts as lost when its last proof is older than this. */
  selfAbortMs: number;
  /** Send time of the last `SET` or renewal that succeeded. */
  provenAt: SharedInstant;
  stopRenewing: () => void;
  remove: () => Promise<void>;
}

/** A held lease. It is proven by an instant in shared memory, which the renewal thread writes. */
export class RedisLease implements Lease {
  private readonly lost = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private removal: Promise<void> | null = null;

  constructor(private readonly terms: LeaseTerms) {
    this.watch();
  }

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** @param cause completes "The lease was lost: ...". */
  lose(cause: string): void {
    this.stop();
    if (this.removal === null) this.lost.abort(leaseLost(cause));
  }

  release(): Promise<void> {
    this.stop();
    this.removal ??= this.terms.remove();
    return this.removal;
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.terms.stopRenewing();
  }

  /** Reads memory instead of waiting for a message: after a blocked event loop, messages come after this timer. */
  private watch(): void {
    const { provenAt, selfAbortMs } = this.terms;
    const ageMs = monotonicMs() - provenAt.get();
    if (ageMs < selfAbortMs) this.timer = setTimeout(() => this.watch(), selfAbortMs - ageMs).unref();
    else this.lose(`Redis has not confirmed it for ${Math.round(ageMs / 1000)} s`);
  }
}
