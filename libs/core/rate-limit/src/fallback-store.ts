import {
  toRepotideError,
  type BudgetLimits,
  type Clock,
  type HostBudget,
  type Logger,
  type RateLimitAnswer,
  type RateLimitHeaders,
  type RateLimitStore,
  type RateLimitTicket,
} from '@core/domain';

/** After a failure the shared store is not called for this long. */
const RETRY_AFTER_MS = 10_000;

/**
 * Uses the shared store while it answers; otherwise a store of this process with its share of every limit. An outage
 * therefore neither fails nor stops a run, and all pods together stay within the limits.
 */
export class FallbackRateLimitStore implements RateLimitStore {
  private shared: RateLimitStore | null = null;
  /** Tickets granted by the process's own store; the shared store granted all others. */
  private readonly ownSlots = new Set<string>();
  private downUntilMs = -Infinity;
  private isDown = false;
  private wakeUp: (ticketId: string) => void = () => undefined;

  constructor(
    private readonly own: RateLimitStore,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly logger: Logger,
  ) {}

  /** Switches to the shared store. Earlier slots stay in the process's own store. */
  join(shared: RateLimitStore): void {
    this.shared = shared;
    shared.onWakeUp(this.wakeUp);
  }

  async ask(ticket: RateLimitTicket): Promise<RateLimitAnswer> {
    const shared = this.reachable();
    if (shared !== null) {
      try {
        const answer = await shared.ask(ticket);
        this.noteUp();
        await this.own.leave(ticket);
        return answer;
      } catch (thrown) {
        this.noteDown(thrown);
      }
    }
    const answer = await this.own.ask({ ...ticket, limits: this.shareOf(ticket.limits) });
    if (answer.kind === 'granted') this.ownSlots.add(ticket.id);
    else if (this.shared) answer.askAgainMs = Math.min(answer.askAgainMs, RETRY_AFTER_MS);
    return answer;
  }

  async leave(ticket: RateLimitTicket): Promise<void> {
    await this.own.leave(ticket);
    await this.reachable()?.leave(ticket);
  }

  answered(ticket: RateLimitTicket, headers: RateLimitHeaders | null): Promise<void> {
    return this.storeOf(ticket).answered(ticket, headers);
  }

  async release(ticket: RateLimitTicket): Promise<void> {
    const store = this.storeOf(ticket);
    this.ownSlots.delete(ticket.id);
    await store.release(ticket);
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    await this.own.pause(budget, ms);
    try {
      await this.reachable()?.pause(budget, ms);
    } catch (thrown) {
      this.noteDown(thrown);
    }
  }

  async renew(tickets: readonly RateLimitTicket[]): Promise<void> {
    await this.reachable()?.renew(tickets.filter(({ id }) => !this.ownSlots.has(id)));
  }

  onWakeUp(listener: (ticketId: string) => void): void {
    this.wakeUp = listener;
    this.own.onWakeUp(listener);
    this.shared?.onWakeUp(listener);
  }

  processes(): number {
    return Math.max(1, this.shared?.processes() ?? 1);
  }

  async close(): Promise<void> {
    await this.own.close();
    await this.shared?.close();
    this.shared = null;
  }

  private storeOf({ id }: RateLimitTicket): RateLimitStore {
    return this.shared === null || this.ownSlots.has(id) ? this.own : this.shared;
  }

  private reachable(): RateLimitStore | null {
    return this.clock.monotonicMs() < this.downUntilMs ? null : this.shared;
  }

  private shareOf(limits: BudgetLimits): BudgetLimits {
    const processes = this.processes();
    const share = (limit: number): number => (limit === 0 ? 0 : Math.max(1, Math.floor(limit / processes)));
    return { requests: share(limits.requests), concurrency: share(limits.concurrency) };
  }

  private noteUp(): void {
    if (this.isDown) this.logger.info({}, 'limits of hosts are shared by all pods again');
    this.isDown = false;
  }

  private noteDown(thrown: unknown): void {
    this.downUntilMs = this.clock.monotonicMs() + RETRY_AFTER_MS;
    if (this.isDown) return;
    this.isDown = true;
    const fields = { error_code: toRepotideError(thrown).code, pods: this.processes() };
    this.logger.warn(fields, 'limits of hosts cannot be shared; each pod keeps to its own share of them');
  }
}
