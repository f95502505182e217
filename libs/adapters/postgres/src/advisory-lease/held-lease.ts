import { type Clock, type Lease, leaseLost } from '@core/domain';

export interface LeaseRun {
  repositoryId: string;
  executionId: string;
  fence: number;
}

interface LeaseTerms {
  /** Age of the last proof at which the lease counts as lost. */
  selfAbortMs: number;
  onExpiry: () => void;
  /** Gives the lock back; called once, on release or loss. Must not reject. */
  letGo: () => Promise<void>;
}

/** A lock that this process holds, as long as the last proof of it is young enough. */
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

  /** @param sentAtMs when the question was sent whose answer says that the lock is held. */
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
