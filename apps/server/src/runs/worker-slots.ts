import { type Execution, type TakeRequest } from '@core/domain';

/** Below this concurrency a reserved slot would cost too large a share of the others. */
const LEAST_WITH_RESERVE = 3;

interface Slot extends Pick<Execution, 'trigger'> {
  baseUrl: string;
}

type Limits = Required<Pick<TakeRequest, 'fullHosts' | 'onlyManual'>>;

/**
 * The runs of a worker, and what it may take beside them. One slot is reserved for manual runs, so that scheduled runs
 * which last for half an hour do not keep a user waiting. Where several hosts have repositories, the runs of a slow one
 * leave one of the other slots to the others.
 */
export class WorkerSlots {
  private readonly slots = new Map<string, Slot>();
  private readonly reserved: number;

  constructor(private readonly concurrency: number) {
    this.reserved = concurrency >= LEAST_WITH_RESERVE ? 1 : 0;
  }

  begin(executionId: string, slot: Slot): void {
    this.slots.set(executionId, slot);
  }

  end(executionId: string): void {
    this.slots.delete(executionId);
  }

  /** The limits to take by, in order: the next ones apply when nothing fits the first ones. Empty when all slots are taken. */
  takeBy(): Limits[] {
    const shared = this.concurrency - this.reserved;
    const manual = [...this.slots.values()].filter(({ trigger }) => trigger === 'manual').length;
    const limits: Limits[] = [];
    if (this.slots.size >= this.concurrency) return limits;
    if (this.slots.size - manual < shared)
      limits.push({ onlyManual: false, fullHosts: this.hosts(shared - 1) });
    // All that this would find is also found by the former limits, unless these leave out a host.
    if (this.reserved > 0 && limits[0]?.fullHosts.length !== 0)
      limits.push({ onlyManual: true, fullHosts: this.hosts(this.concurrency - 1) });
    return limits;
  }

  /** The hosts of at least so many runs. */
  private hosts(least: number): string[] {
    const counts = new Map<string, number>();
    for (const { baseUrl } of this.slots.values()) counts.set(baseUrl, (counts.get(baseUrl) ?? 0) + 1);
    return [...counts].flatMap(([host, count]) => (count >= Math.max(1, least) ? [host] : []));
  }
}
