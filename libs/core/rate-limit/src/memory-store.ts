import {
  type BudgetLimits,
  type Clock,
  type WaitReason,
  type HostBudget,
  type RateLimitReply,
  type RateLimitHeaders,
  type RateLimitStore,
  type RateLimitTicket,
} from '@core/domain';

/** More than the number of hosts and projects in use at once. Above it, idle budgets are removed. */
const MAX_BUDGETS = 256;
/** One event makes room for one ticket; the second wake-up is a reserve. */
const WAKE_UPS_PER_EVENT = 2;
/** Two responses describe the same window when their resets differ by less: hosts round to seconds. */
const SAME_RESET_MS = 1000;
/** A limit from a header expires after this time. */
const HEADER_LIMIT_TTL_MS = 600_000;

/** For a single process. Like the Redis scripts, it counts a request until one window after its end. */
export class MemoryRateLimitStore implements RateLimitStore {
  private readonly budgets = new Map<string, BudgetState>();
  private wakeUp: (ticketId: string) => void = () => undefined;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly windowMs: number,
  ) {}

  async acquire(ticket: RateLimitTicket): Promise<RateLimitReply> {
    const state = this.stateOf(ticket.budget);
    const answer = state.acquire(ticket, this.clock.monotonicMs());
    if (answer.kind === 'granted') this.wakeHeads(state);
    return answer;
  }

  async cancel({ id, budget }: RateLimitTicket): Promise<void> {
    const state = this.stateOf(budget);
    state.cancel(id);
    this.wakeHeads(state);
  }

  async release({ id, budget }: RateLimitTicket, headers: RateLimitHeaders | null): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    const state = this.stateOf(budget);
    state.release(id, nowMs);
    if (headers !== null) state.applyHeaders(headers, nowMs);
    this.wakeHeads(state);
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    const state = this.stateOf(budget);
    state.pausedUntilMs = Math.max(state.pausedUntilMs, this.clock.monotonicMs() + ms);
  }

  /** Slots end with this process, so they need no renewal. */
  async renew(): Promise<void> {}

  onWakeUp(listener: (ticketId: string) => void): void {
    this.wakeUp = listener;
  }

  processes(): number {
    return 1;
  }

  async close(): Promise<void> {
    this.budgets.clear();
  }

  private wakeHeads({ queue }: BudgetState): void {
    for (const { id } of queue.slice(0, WAKE_UPS_PER_EVENT)) this.wakeUp(id);
  }

  private stateOf({ host, name, scope = '' }: HostBudget): BudgetState {
    const key = `${host} ${name} ${scope}`;
    const known = this.budgets.get(key);
    if (known !== undefined) return known;
    if (this.budgets.size >= MAX_BUDGETS) this.removeIdle();
    const state = new BudgetState(this.windowMs);
    this.budgets.set(key, state);
    return state;
  }

  private removeIdle(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [key, state] of this.budgets) if (state.isIdle(nowMs)) this.budgets.delete(key);
  }
}

/** One budget. Times are monotonic. */
class BudgetState {
  queue: RateLimitTicket[] = [];
  private readonly inFlight = new Set<string>();
  pausedUntilMs = 0;
  /** When each ended request leaves the window, in order. */
  private leaveAtMs: number[] = [];
  private hostLimit = { requests: Infinity, untilMs: 0 };
  private remaining = { requests: 0, resetMs: 0 };

  constructor(private readonly windowMs: number) {}

  isIdle(nowMs: number): boolean {
    this.dropExpired(nowMs);
    return (
      this.queue.length + this.inFlight.size + this.leaveAtMs.length === 0 &&
      Math.max(this.pausedUntilMs, this.hostLimit.untilMs, this.remaining.resetMs) <= nowMs
    );
  }

  acquire(ticket: RateLimitTicket, nowMs: number): RateLimitReply {
    this.dropExpired(nowMs);
    if (!this.queue.some(({ id }) => id === ticket.id)) this.enqueue(ticket);
    const rank = this.queue.findIndex(({ id }) => id === ticket.id);
    const hold = this.holdAt(rank, ticket.limits, nowMs);
    if (hold !== null) {
      const waitMs = hold.untilMs === null ? null : Math.max(1, Math.ceil(hold.untilMs - nowMs));
      // Only this process can make room earlier, and it sends a wake-up then.
      return { kind: 'queued', reason: hold.reason, waitMs, retryInMs: waitMs ?? this.windowMs };
    }
    this.cancel(ticket.id);
    this.inFlight.add(ticket.id);
    if (this.remaining.resetMs > nowMs) this.remaining.requests--;
    return { kind: 'granted' };
  }

  cancel(ticketId: string): void {
    this.queue = this.queue.filter(({ id }) => id !== ticketId);
  }

  /** A request without a response may have been counted by the host until now. */
  release(ticketId: string, nowMs: number): void {
    if (this.inFlight.delete(ticketId)) this.leaveAtMs.push(nowMs + this.windowMs);
  }

  applyHeaders({ limit, remaining, resetMs }: RateLimitHeaders, nowMs: number): void {
    if (limit !== null)
      this.hostLimit = { requests: Math.max(1, limit), untilMs: nowMs + HEADER_LIMIT_TTL_MS };
    if (remaining === null || resetMs === null || resetMs <= 0) return;
    // The host may have counted the requests in flight or not: assume that it has not.
    const current = { requests: remaining - this.inFlight.size, resetMs: nowMs + resetMs };
    const known = this.remaining;
    const isSameWindow = known.resetMs > nowMs && Math.abs(known.resetMs - current.resetMs) <= SAME_RESET_MS;
    const requests = isSameWindow ? Math.min(current.requests, known.requests) : current.requests;
    this.remaining = {
      requests,
      resetMs: isSameWindow ? Math.max(current.resetMs, known.resetMs) : current.resetMs,
    };
  }

  private enqueue(ticket: RateLimitTicket): void {
    const firstOther = ticket.isUrgent ? this.queue.findIndex(({ isUrgent }) => !isUrgent) : -1;
    this.queue.splice(firstOther < 0 ? this.queue.length : firstOther, 0, ticket);
  }

  /** Why the ticket at this place in the queue must wait; null: it may start. */
  private holdAt(
    rank: number,
    { requests, concurrency }: BudgetLimits,
    nowMs: number,
  ): { reason: WaitReason; untilMs: number | null } | null {
    // remaining = 0 means: pause until the reset.
    const isUsedUp = rank >= this.remaining.requests;
    const pausedUntilMs = Math.max(this.pausedUntilMs, isUsedUp ? this.remaining.resetMs : 0);
    if (pausedUntilMs > nowMs) return { reason: 'paused', untilMs: pausedUntilMs };
    const limit = Math.min(requests || Infinity, this.hostLimit.requests);
    const over = rank + this.leaveAtMs.length + this.inFlight.size - limit;
    // A request in flight counts until one window after its end, whose time is unknown.
    if (over >= 0) return { reason: 'rate', untilMs: this.leaveAtMs[over] ?? nowMs + this.windowMs };
    if (concurrency > 0 && this.inFlight.size + rank >= concurrency)
      return { reason: 'concurrency', untilMs: null };
    return null;
  }

  private dropExpired(nowMs: number): void {
    this.leaveAtMs = this.leaveAtMs.filter((atMs) => atMs > nowMs);
    if (this.hostLimit.untilMs <= nowMs) this.hostLimit = { requests: Infinity, untilMs: 0 };
  }
}
