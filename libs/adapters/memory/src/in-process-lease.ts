import { leaseLost, type HeldLease, type Lease, type LeaseHolder, type LeaseManager } from '@core/domain';

interface Held {
  holder: LeaseHolder;
  lost: AbortController;
}

/** Leases for the only process of a database. */
export class InProcessLeaseManager implements LeaseManager {
  private readonly held = new Map<string, Held>();

  constructor(private readonly podName: string) {}

  async acquire(run: { repositoryId: string; executionId: string; fence: number }): Promise<Lease | null> {
    const { repositoryId, executionId, fence } = run;
    if (this.held.has(repositoryId)) return null;
    const held = { holder: { podName: this.podName, executionId, fence }, lost: new AbortController() };
    this.held.set(repositoryId, held);
    return {
      signal: held.lost.signal,
      release: async () => {
        if (this.held.get(repositoryId) === held) this.held.delete(repositoryId);
      },
    };
  }

  async checkHealth(): Promise<void> {}

  async holderOf(repositoryId: string): Promise<LeaseHolder | null> {
    return this.held.get(repositoryId)?.holder ?? null;
  }

  async list(): Promise<HeldLease[]> {
    return [...this.held].map(([repositoryId, { holder }]) => ({ ...holder, repositoryId, expiresAt: null }));
  }

  async breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean> {
    const held = this.held.get(repositoryId);
    if (!held || !isSame(held.holder, holder)) return false;
    this.held.delete(repositoryId);
    held.lost.abort(leaseLost('it was broken on request'));
    return true;
  }

  async close(): Promise<void> {
    this.held.clear();
  }
}

function isSame(left: LeaseHolder, right: LeaseHolder): boolean {
  return (
    left.fence === right.fence && left.executionId === right.executionId && left.podName === right.podName
  );
}
