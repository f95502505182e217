/**
 * What a host limits apart from the rest. `general`: every request to a code host; `files`: single files of it;
 * `archive`: whole archives, of each project by itself; `embedding`: every request to an embedding server.
 */
export type BudgetName = 'general' | 'files' | 'archive' | 'embedding';

export interface HostBudget {
  /** Name and, unless it is the usual one, port. */
  host: string;
  name: BudgetName;
  /** The part of the host that has this budget to itself, e.g. a project; absent: the host as a whole. */
  scope?: string;
}

/** 0: no limit of our own; what the host says counts all the same. */
export interface BudgetLimits {
  /** Requests that the host may count in any window of time, wherever it begins. */
  requests: number;
  /** Requests under way at once. */
  concurrency: number;
}

/** What the headers of an answer say about the budget; null: nothing. */
export interface RateLimitHeaders {
  /** Requests that the host grants in one window. */
  limit: number | null;
  /** Requests that it still grants until `resetMs` from now. Only the two together mean something. */
  remaining: number | null;
  resetMs: number | null;
}

/** Why a request waits. `paused`: the host has asked for quiet. `rate`: the budget is used up. */
export type HoldReason = 'paused' | 'rate' | 'concurrency';

export interface HostWait {
  budget: HostBudget;
  why: HoldReason;
  /** When its turn comes at the latest, as far as is known; null when that is others' to end. */
  until: Date | null;
}

/** Is shown the waiting of requests. Must not throw. */
export interface WaitObserver {
  /** A request waits, or waits for something else now. */
  waiting(request: object, wait: HostWait): void;
  /** That request waits no more, whatever came of it. */
  resumed(request: object): void;
}

/** The right to one request. Neither method throws; repeating is harmless; an owner that dies loses it by itself. */
export interface HostSlot {
  /** The host has begun to answer. Until then the request counts as not yet counted by the host. */
  answered(told?: RateLimitHeaders): void;
  /** The request is over, answered or not: another may be under way in its place. */
  release(): void;
}

/**
 * Keeps all pods together within what a host grants. One budget after the other is taken where a request needs
 * several, the narrower first; a slot is held during one request only and while it is held no other is waited for, but
 * for those of the same request: so nobody can wait in a circle.
 */
export interface HostLimiter {
  /**
   * Waits until the budget has room; first come, first served, over all pods.
   * @param options.isUrgent a person waits for the answer: goes to the head of the line, and waits seconds at most.
   * @throws rate_limited `host_paused` (with `retryAt`) when the turn would come later than is waited for.
   */
  take(
    budget: HostBudget,
    signal: AbortSignal,
    options?: { observer?: WaitObserver | undefined; isUrgent?: boolean },
  ): Promise<HostSlot>;
  /** The host has refused a request: nobody asks again for so long. A longer pause stays. Never throws. */
  pause(budget: HostBudget, ms: number): Promise<void>;
}

/** One request in the line, or the slot that it got. */
export interface RateLimitTicket {
  /** Unique among all pods. */
  id: string;
  budget: HostBudget;
  limits: BudgetLimits;
  isUrgent: boolean;
}

export type RateLimitAnswer =
  | { kind: 'granted' }
  | {
      kind: 'held';
      why: HoldReason;
      /** Until there may be room; null: until somebody else is done. */
      waitMs: number | null;
      /** Ask again after so long, unless told earlier that it is this ticket's turn. */
      askAgainMs: number;
    };

/**
 * Where slots and lines are written down, each call one step that cannot be interrupted. Also the window's length and
 * the life of what a dead owner left are its own.
 * Every method may throw temporary `limiter_unavailable`.
 */
export interface RateLimitStore {
  /** Grants a slot, or keeps the place in the line. Repeating is harmless. */
  ask(ticket: RateLimitTicket): Promise<RateLimitAnswer>;
  /** Gives the place in the line up. */
  leave(ticket: RateLimitTicket): Promise<void>;
  answered(ticket: RateLimitTicket, told: RateLimitHeaders | null): Promise<void>;
  release(ticket: RateLimitTicket): Promise<void>;
  pause(budget: HostBudget, ms: number): Promise<void>;
  /** Their owner lives: called every few seconds for all slots that it holds. */
  renew(tickets: readonly RateLimitTicket[]): Promise<void>;
  /** Calls back with the ids of tickets whose turn has come; news may be lost. One listener at a time. */
  onTurn(listener: (ticketId: string) => void): void;
  close(): Promise<void>;
}
