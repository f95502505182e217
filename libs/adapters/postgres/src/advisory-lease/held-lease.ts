import { type Clock, type Lease, leaseLost } from '@core/domain';

export interface LeaseRun {
  repositoryId: string;
  executionId: string;
  fence: number;
}

interface LeaseTerms {
  /** The lease counts as lost when its last proof is older than this. */
  selfAbortMs: number;
  onExpiry: () => void;
  /** Releases the lock; called once, on release or loss. Must not reject. */
  letGo: () => Promise<void>;
}

/** A lock that this process holds while its last proof is recent enough. */
export class HeldAdvisoryLease implements Lease {
  private readonly lost = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private end: Promise<void> | null = null;

  constructor(
    readonly run: LeaseRun,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly terms: LeaseTerms,
  ) {}

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** @param sentAtMs when the statement was sent whose answer proves the lock. */
  prove(sentAtMs: number): void {
    if (this.end !== null) return;
    clearTimeout(this.timer);
    const leftMs = sentAtMs + this.terms.selfAbortMs - this.clock.monotonicMs();
    this.timer = setTimeout(this.terms.onExpiry, Math.max(0, leftMs)).unref();
  }

  /** @param why completes "The lease was lost: ...". */
  lose(why: string): void {
    if (this.end === null) this.lost.abort(leaseLost(why));
    void this.release();
  }

  release(): Promise<void> {
    clearTimeout(this.timer);
    this.end ??= this.terms.letGo();
    return this.end;
  }
}
