/**
 * The limits that a host applies separately. `general`: every request to a code host; `files`: requests for single files;
 * `archive`: archives, per project; `embedding`: every request to an embedding server.
 */
export type BudgetName = 'general' | 'files' | 'archive' | 'embedding';

export interface HostBudget {
  /** Host name, with the port unless it is the default. */
  host: string;
  name: BudgetName;
  /** The part of the host with this budget, e.g. a project; absent: the whole host. */
  scope?: string;
}

/** 0: no configured limit. The limits that the host reports always apply. */
export interface BudgetLimits {
  /** Requests within any window: it slides, because the start of the host's window is unknown. */
  requests: number;
  /** Requests in flight at once. */
  concurrency: number;
}

/** The rate-limit headers of a response; null: absent. */
export interface RateLimitHeaders {
  /** Requests per window. */
  limit: number | null;
  /** Requests left until `resetMs` from now; the two are used only together. */
  remaining: number | null;
  resetMs: number | null;
}

/** Why a request waits. `paused`: the host refuses requests for now. `rate`: the budget is used up. */
export type WaitReason = 'paused' | 'rate' | 'concurrency';

export interface HostWait {
  budget: HostBudget;
  reason: WaitReason;
  /** Latest end of the wait; null when it depends on other requests. */
  until: Date | null;
}

/** Is notified when requests wait. Must not throw. */
export interface WaitObserver {
  /** A request starts to wait, or its reason changed. */
  waiting(request: object, wait: HostWait): void;
  /** The request no longer waits: it was granted, refused or cancelled. */
  resumed(request: object): void;
}

/** Permission for one request. The slot expires when its process ends. */
export interface HostSlot {
  /**
   * Call when the request ended, with or without a response; until then the host may count it at any time. Never throws;
   * only the first call counts.
   * @param headers of the response.
   */
  release(headers?: RateLimitHeaders | null): void;
}

/**
 * Keeps the requests of all pods within the limits of a host. A request that counts in several budgets takes the
 * narrowest first. This cannot deadlock: a holder of a slot never waits for a slot of another request.
 */
export abstract class HostLimiter {
  /**
   * Waits until the budget has room. First come, first served, across all pods.
   * @param options.isUrgent a person waits for the response: goes to the head of the queue and waits a few seconds at most.
   * @throws rate_limited `host_paused` (with `retryAt`) when the wait would be too long.
   */
  abstract take(
    budget: HostBudget,
    signal: AbortSignal,
    options?: { observer?: WaitObserver | undefined; isUrgent?: boolean },
  ): Promise<HostSlot>;
  /** The host refused a request: all pods pause for `ms`. Never shortens a pause. Never throws. */
  abstract pause(budget: HostBudget, ms: number): Promise<void>;
}

/** One request: its place in the queue, then its slot. */
export interface RateLimitTicket {
  /** Unique among all pods. */
  id: string;
  budget: HostBudget;
  limits: BudgetLimits;
  isUrgent: boolean;
}

export type RateLimitReply =
  | { kind: 'granted' }
  | {
      kind: 'queued';
      reason: WaitReason;
      /** Time until there may be room; null: when another request ends. */
      waitMs: number | null;
      /** Call again after this time, unless a wake-up comes first. */
      retryInMs: number;
    };

/**
 * Slots and queues of all budgets. Each call is atomic. Slots of a dead process expire.
 * Every method may throw temporary `limiter_unavailable`.
 */
export interface RateLimitStore {
  /** Grants a slot or keeps the ticket's place in the queue. Safe to repeat. */
  acquire(ticket: RateLimitTicket): Promise<RateLimitReply>;
  cancel(ticket: RateLimitTicket): Promise<void>;
  release(ticket: RateLimitTicket, headers: RateLimitHeaders | null): Promise<void>;
  pause(budget: HostBudget, ms: number): Promise<void>;
  /** Extends the slots of this process. Called every few seconds, also without slots, to show that the process is alive. */
  renew(tickets: readonly RateLimitTicket[]): Promise<void>;
  /** Calls back with the ids of tickets that should try again now; a wake-up may be lost. One listener at a time. */
  onWakeUp(listener: (ticketId: string) => void): void;
  /** Last known number of processes that share the budgets, including this one. */
  processes(): number;
  close(): Promise<void>;
}
