import { type Clock, type Lease, type LeaseHolder, type LeaseManager } from '@core/domain';

/** Leases for a process that is alone on its data: a map. Nothing can take one away, so the signal never fires. */
export class InProcessLeaseManager implements LeaseManager {
  private readonly holders = new Map<string, LeaseHolder>();

  constructor(
    private readonly podName: string,
    private readonly clock: Clock,
  ) {}

  async acquire(run: { repositoryId: string; executionId: string; fence: number }): Promise<Lease | null> {
    const { repositoryId, executionId, fence } = run;
    if (this.holders.has(repositoryId)) return null;
    const holder = { podName: this.podName, executionId, fence, since: this.clock.now() };
    this.holders.set(repositoryId, holder);
    return {
      signal: new AbortController().signal,
      release: async () => {
        if (this.holders.get(repositoryId) === holder) this.holders.delete(repositoryId);
      },
    };
  }

  async holderOf(repositoryId: string): Promise<LeaseHolder | null> {
    return this.holders.get(repositoryId) ?? null;
  }
}
