import {
  toRepotideError,
  type BudgetLimits,
  type Clock,
  type HostBudget,
  type Logger,
  type RateLimitReply,
  type RateLimitHeaders,
  type RateLimitStore,
  type RateLimitTicket,
} from '@core/domain';

/** After a failure the shared store is not called for this long. */
const RETRY_AFTER_MS = 10_000;

/**
 * Uses the shared store while it responds; otherwise a local store with this process's share of every limit. An outage
 * therefore neither fails nor stops a run, and all pods together stay within the limits.
 */
export class FallbackRateLimitStore implements RateLimitStore {
  private shared: RateLimitStore | null = null;
  /** Tickets granted by the local store; the shared store granted all others. */
  private readonly localSlots = new Set<string>();
  /** Slots of the shared store whose release failed. */
  private readonly unreleased = new Set<RateLimitTicket>();
  private downUntilMs = -Infinity;
  private isDown = false;
  private wakeUp: (ticketId: string) => void = () => undefined;

  constructor(
    private readonly local: RateLimitStore,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly logger: Logger,
  ) {}

  /** Switches to the shared store. Earlier slots stay in the local store. */
  join(shared: RateLimitStore): void {
    this.shared = shared;
    shared.onWakeUp(this.wakeUp);
  }

  async acquire(ticket: RateLimitTicket): Promise<RateLimitReply> {
    const shared = this.reachable();
    if (shared !== null) {
      try {
        await this.releaseLate(shared);
        const answer = await shared.acquire(ticket);
        this.onUp();
        await this.local.cancel(ticket);
        return answer;
      } catch (thrown) {
        this.onDown(thrown);
      }
    }
    const answer = await this.local.acquire({ ...ticket, limits: this.shareOf(ticket.limits) });
    if (answer.kind === 'granted') this.localSlots.add(ticket.id);
    else if (this.shared) answer.retryInMs = Math.min(answer.retryInMs, RETRY_AFTER_MS);
    return answer;
  }

  async cancel(ticket: RateLimitTicket): Promise<void> {
    await this.local.cancel(ticket);
    await this.reachable()?.cancel(ticket);
  }

  async release(ticket: RateLimitTicket, headers: RateLimitHeaders | null): Promise<void> {
    const store = this.storeOf(ticket);
    this.localSlots.delete(ticket.id);
    try {
      await store.release(ticket, headers);
    } catch (thrown) {
      this.unreleased.add(ticket);
      throw thrown;
    }
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    await this.local.pause(budget, ms);
    try {
      await this.reachable()?.pause(budget, ms);
    } catch (thrown) {
      this.onDown(thrown);
    }
  }

  async renew(tickets: readonly RateLimitTicket[]): Promise<void> {
    const shared = this.reachable();
    if (shared === null) return;
    await this.releaseLate(shared);
    await shared.renew(tickets.filter(({ id }) => !this.localSlots.has(id)));
  }

  onWakeUp(listener: (ticketId: string) => void): void {
    this.wakeUp = listener;
    this.local.onWakeUp(listener);
    this.shared?.onWakeUp(listener);
  }

  processes(): number {
    return Math.max(1, this.shared?.processes() ?? 1);
  }

  async close(): Promise<void> {
    await this.local.close();
    await this.shared?.close();
    this.shared = null;
  }

  /** Otherwise the slots of an outage stay taken until they expire, and all pods wait for them. */
  private async releaseLate(shared: RateLimitStore): Promise<void> {
    for (const ticket of this.unreleased) {
      await shared.release(ticket, null);
      this.unreleased.delete(ticket);
    }
  }

  private storeOf({ id }: RateLimitTicket): RateLimitStore {
    return this.shared === null || this.localSlots.has(id) ? this.local : this.shared;
  }

  private reachable(): RateLimitStore | null {
    return this.clock.monotonicMs() < this.downUntilMs ? null : this.shared;
  }

  private shareOf(limits: BudgetLimits): BudgetLimits {
    const processes = this.processes();
    const share = (limit: number): number => (limit === 0 ? 0 : Math.max(1, Math.floor(limit / processes)));
    return { requests: share(limits.requests), concurrency: share(limits.concurrency) };
  }

  private onUp(): void {
    if (this.isDown) this.logger.info({}, 'rate limits are shared by all pods again');
    this.isDown = false;
  }

  private onDown(thrown: unknown): void {
    this.downUntilMs = this.clock.monotonicMs() + RETRY_AFTER_MS;
    if (this.isDown) return;
    this.isDown = true;
    const { code, message } = toRepotideError(thrown);
    const fields = { error_code: code, reason: message, pods: this.processes() };
    this.logger.warn(fields, 'rate limits cannot be shared; each pod uses its share of them');
  }
}
