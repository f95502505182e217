import {
  type BudgetLimits,
  type HoldReason,
  type RateLimitHeaders,
  type RateLimitAnswer,
  type RateLimitTicket,
} from '@core/domain';

/** Two answers speak of the same window when the ends that they tell lie as near: hosts tell whole seconds. */
const SAME_RESET_MS = 1000;
/** What a host once said about its limit is believed for so long. */
export const BELIEVED_MS = 600_000;

interface Hold {
  why: HoldReason;
  untilMs: number | null;
}

/** The book's page of one budget, at times of a clock that never goes backwards. */
export class BudgetState {
  private line: RateLimitTicket[] = [];
  /** Slots of requests under way; true once the host has begun to answer. */
  private readonly busy = new Map<string, boolean>();
  /** When each answered request leaves the window, in order. */
  private leaving: number[] = [];
  private pausedUntilMs = 0;
  private learned = { limit: 0, untilMs: 0 };
  private left = { requests: 0, resetMs: 0 };

  constructor(private readonly windowMs: number) {}

  isIdle(nowMs: number): boolean {
    this.forget(nowMs);
    return (
      this.line.length + this.busy.size + this.leaving.length === 0 &&
      Math.max(this.pausedUntilMs, this.learned.untilMs, this.left.resetMs) <= nowMs
    );
  }

  ask(ticket: RateLimitTicket, nowMs: number): RateLimitAnswer {
    this.forget(nowMs);
    if (!this.line.some(({ id }) => id === ticket.id)) this.enqueue(ticket);
    const rank = this.line.findIndex(({ id }) => id === ticket.id);
    const hold = this.holdAt(rank, ticket.limits, nowMs);
    if (hold !== null) {
      const waitMs = hold.untilMs === null ? null : Math.max(1, Math.ceil(hold.untilMs - nowMs));
      // Nobody but this process can make room earlier, and it tells.
      return { kind: 'held', why: hold.why, waitMs, askAgainMs: waitMs ?? this.windowMs };
    }
    this.leave(ticket.id);
    this.busy.set(ticket.id, false);
    if (this.left.resetMs > nowMs) this.left.requests--;
    return { kind: 'granted' };
  }

  leave(ticketId: string): void {
    this.line = this.line.filter(({ id }) => id !== ticketId);
  }

  answered(ticketId: string, told: RateLimitHeaders | null, nowMs: number): void {
    if (this.busy.get(ticketId) === false) {
      this.busy.set(ticketId, true);
      this.leaving.push(nowMs + this.windowMs);
    }
    if (told !== null) this.learn(told, nowMs);
  }

  release(ticketId: string, nowMs: number): void {
    // Without an answer the host may have counted it until now.
    this.answered(ticketId, null, nowMs);
    this.busy.delete(ticketId);
  }

  pause(untilMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, untilMs);
  }

  /** The tickets that may have room now. */
  heads(count: number): readonly RateLimitTicket[] {
    return this.line.slice(0, count);
  }

  private enqueue(ticket: RateLimitTicket): void {
    const behindUrgent = this.line.findIndex(({ isUrgent }) => !isUrgent);
    if (ticket.isUrgent && behindUrgent >= 0) this.line.splice(behindUrgent, 0, ticket);
    else this.line.push(ticket);
  }

  /** The longest of all reasons to wait, for the ticket at this place in the line. */
  private holdAt(rank: number, limits: BudgetLimits, nowMs: number): Hold | null {
    // Whoever is told that nothing is left has been asked for quiet.
    const isUsedUp = this.left.resetMs > nowMs && rank >= this.left.requests;
    const quietUntilMs = Math.max(this.pausedUntilMs, isUsedUp ? this.left.resetMs : 0);
    if (quietUntilMs > nowMs) return { why: 'paused', untilMs: quietUntilMs };
    const roomAtMs = this.rateRoomAt(rank, limits, nowMs);
    if (roomAtMs > nowMs) return { why: 'rate', untilMs: roomAtMs };
    const { concurrency } = limits;
    if (concurrency > 0 && this.busy.size + rank >= concurrency) return { why: 'concurrency', untilMs: null };
    return null;
  }

  private rateRoomAt(rank: number, limits: BudgetLimits, nowMs: number): number {
    const own = limits.requests > 0 ? limits.requests : Infinity;
    const limit = Math.min(own, this.learned.untilMs > nowMs ? this.learned.limit : Infinity);
    const unanswered = [...this.busy.values()].filter((isAnswered) => !isAnswered).length;
    const over = rank + this.leaving.length + unanswered - limit;
    if (over < 0) return 0;
    const mustLeave = this.leaving[over];
    // What is still unanswered leaves a window after an answer that nobody can foretell.
    return mustLeave ?? nowMs + this.windowMs;
  }

  private learn({ limit, remaining, resetMs }: RateLimitHeaders, nowMs: number): void {
    if (limit !== null) this.learned = { limit: Math.max(1, limit), untilMs: nowMs + BELIEVED_MS };
    if (remaining === null || resetMs === null || resetMs <= 0) return;
    const unanswered = [...this.busy.values()].filter((isAnswered) => !isAnswered).length;
    // Which of the unanswered ones the host has counted is not known; it is taken to have counted none.
    const requests = remaining - unanswered;
    const until = nowMs + resetMs;
    const isSameWindow = this.left.resetMs > nowMs && Math.abs(this.left.resetMs - until) <= SAME_RESET_MS;
    this.left = isSameWindow
      ? { requests: Math.min(requests, this.left.requests), resetMs: Math.max(until, this.left.resetMs) }
      : { requests, resetMs: until };
  }

  private forget(nowMs: number): void {
    const first = this.leaving.findIndex((leavesMs) => leavesMs > nowMs);
    this.leaving = first < 0 ? [] : this.leaving.slice(first);
  }
}
