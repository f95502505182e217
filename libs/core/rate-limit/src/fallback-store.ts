import {
  toRepotideError,
  type BudgetLimits,
  type Clock,
  type HostBudget,
  type RateLimitHeaders,
  type RateLimitAnswer,
  type RateLimitStore,
  type RateLimitTicket,
  type Logger,
} from '@core/domain';

/** After a failure the shared book is left alone for so long; then the next request tries it. */
const TRY_AGAIN_MS = 10_000;

/** A book that all pods write in. */
export interface SharedRateLimitStore {
  book: RateLimitStore;
  /** Processes that took slots lately, this one included. */
  pods(): number;
}

/**
 * The shared book while it answers; else this process's own, with this process's share of every limit. So no run ever
 * fails or stands still for the sake of politeness, and pods that cannot ask each other stay polite together.
 */
export class FallbackRateLimitStore implements RateLimitStore {
  private shared: SharedRateLimitStore | null = null;
  /** Where a slot was granted; what is absent was granted by the shared book. */
  private readonly ownSlots = new Set<string>();
  private downUntilMs = -Infinity;
  private isDown = false;
  private tell: (ticketId: string) => void = () => undefined;

  constructor(
    private readonly own: RateLimitStore,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly logger: Logger,
  ) {}

  /** From now on the pods share a book. What was granted before stays with this process. */
  join(shared: SharedRateLimitStore): void {
    this.shared = shared;
    shared.book.onTurn(this.tell);
  }

  async ask(ticket: RateLimitTicket): Promise<RateLimitAnswer> {
    const shared = this.reachable();
    if (shared !== null) {
      try {
        const answer = await shared.book.ask(ticket);
        this.noteUp();
        await this.own.leave(ticket);
        return answer;
      } catch (thrown) {
        this.noteDown(thrown);
      }
    }
    const answer = await this.own.ask({ ...ticket, limits: this.shareOf(ticket.limits) });
    if (answer.kind === 'granted') {
      this.ownSlots.add(ticket.id);
      return answer;
    }
    // So that a line that this process alone stands in does not outlast the outage.
    return {
      ...answer,
      askAgainMs: this.shared ? Math.min(answer.askAgainMs, TRY_AGAIN_MS) : answer.askAgainMs,
    };
  }

  async leave(ticket: RateLimitTicket): Promise<void> {
    await this.own.leave(ticket);
    await this.reachable()?.book.leave(ticket);
  }

  answered(ticket: RateLimitTicket, told: RateLimitHeaders | null): Promise<void> {
    return this.bookOf(ticket).answered(ticket, told);
  }

  async release(ticket: RateLimitTicket): Promise<void> {
    const book = this.bookOf(ticket);
    this.ownSlots.delete(ticket.id);
    await book.release(ticket);
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    await this.own.pause(budget, ms);
    try {
      await this.reachable()?.book.pause(budget, ms);
    } catch (thrown) {
      this.noteDown(thrown);
    }
  }

  async renew(tickets: readonly RateLimitTicket[]): Promise<void> {
    await this.reachable()?.book.renew(tickets.filter(({ id }) => !this.ownSlots.has(id)));
  }

  onTurn(listener: (ticketId: string) => void): void {
    this.tell = listener;
    this.own.onTurn(listener);
    this.shared?.book.onTurn(listener);
  }

  async close(): Promise<void> {
    await this.own.close();
    await this.shared?.book.close();
    this.shared = null;
  }

  private bookOf({ id }: RateLimitTicket): RateLimitStore {
    return this.shared === null || this.ownSlots.has(id) ? this.own : this.shared.book;
  }

  private reachable(): SharedRateLimitStore | null {
    return this.clock.monotonicMs() < this.downUntilMs ? null : this.shared;
  }

  private shareOf(limits: BudgetLimits): BudgetLimits {
    const pods = Math.max(1, this.shared?.pods() ?? 1);
    const share = (limit: number): number => (limit === 0 ? 0 : Math.max(1, Math.floor(limit / pods)));
    return { requests: share(limits.requests), concurrency: share(limits.concurrency) };
  }

  private noteUp(): void {
    if (!this.isDown) return;
    this.isDown = false;
    this.logger.info({}, 'the limits of hosts are shared by all pods again');
  }

  private noteDown(thrown: unknown): void {
    this.downUntilMs = this.clock.monotonicMs() + TRY_AGAIN_MS;
    if (this.isDown) return;
    this.isDown = true;
    const fields = { error_code: toRepotideError(thrown).code, pods: this.shared?.pods() ?? 1 };
    this.logger.warn(
      fields,
      'limits of hosts cannot be shared; each pod keeps to its part of them by itself',
    );
  }
}
