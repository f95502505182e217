import { leaseLost, type Lease } from '@core/domain';
import { type SharedInstant, monotonicMs } from './shared-instant.js';

export interface LeaseTerms {
  /** Age of the last proof at which the lease counts as lost. */
  selfAbortMs: number;
  /** Send time of the last `SET` or renewal that succeeded. */
  provenAt: SharedInstant;
  stopRenewing: () => void;
  remove: () => Promise<void>;
}

/** A lease as its run sees it. The proof of holding it is an instant in shared memory; its age decides. */
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

  /** @param why completes "The lease was lost: ...". */
  lose(why: string): void {
    clearTimeout(this.timer);
    this.terms.stopRenewing();
    if (this.removal === null) this.lost.abort(leaseLost(why));
  }

  release(): Promise<void> {
    clearTimeout(this.timer);
    this.terms.stopRenewing();
    this.removal ??= this.terms.remove();
    return this.removal;
  }

  /** Asks memory, not a message: after a block of the loop the messages still wait behind this timer. */
  private watch(): void {
    const { provenAt, selfAbortMs } = this.terms;
    const leftMs = provenAt.get() + selfAbortMs - monotonicMs();
    if (leftMs <= 0) {
      const seconds = Math.round((monotonicMs() - provenAt.get()) / 1000);
      return this.lose(`Redis has not confirmed it for ${seconds} s`);
    }
    this.timer = setTimeout(() => this.watch(), leftMs).unref();
  }
}
