/**
 * What a host limits separately. `general`: every request to a code host; `files`: its single files; `archive`: archives,
 * separately for each project; `embedding`: every request to an embedding server.
 */
export type BudgetName = 'general' | 'files' | 'archive' | 'embedding';

export interface HostBudget {
  /** Name, and port unless it is the default one. */
  host: string;
  name: BudgetName;
  /** The part of the host that this budget is for, e.g. a project; absent: the whole host. */
  scope?: string;
}

/** 0: no limit of ours; the host's own limits are obeyed in any case. */
export interface BudgetLimits {
  /** Requests within any window of time, wherever the host's window starts. */
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
export type HoldReason = 'paused' | 'rate' | 'concurrency';

export interface HostWait {
  budget: HostBudget;
  why: HoldReason;
  /** When the wait ends at the latest; null when it ends with other requests. */
  until: Date | null;
}

/** Is notified when requests wait. Must not throw. */
export interface WaitObserver {
  /** A request starts to wait, or its reason changed. */
  waiting(request: object, wait: HostWait): void;
  /** The request no longer waits: it was granted, refused or given up. */
  resumed(request: object): void;
}

/** Permission for one request. Its methods never throw; repeating them is harmless. It expires with its owner. */
export interface HostSlot {
  /** The response has started. Until then the request may still be counted by the host at any time. */
  answered(headers?: RateLimitHeaders): void;
  /** The request has ended, with or without a response: its place is free. */
  release(): void;
}

/**
 * Keeps all pods together within the limits of a host. A request that counts in several budgets takes the narrowest
 * first. No deadlock: a slot is held for one request, and its holder waits for no slot of another request.
 */
export abstract class HostLimiter {
  /**
   * Waits until the budget has room; first come, first served, over all pods.
   * @param options.isUrgent a person waits for the response: goes to the head of the queue, and waits seconds at most.
   * @throws rate_limited `host_paused` (with `retryAt`) when the wait would be too long.
   */
  abstract take(
    budget: HostBudget,
    signal: AbortSignal,
    options?: { observer?: WaitObserver | undefined; isUrgent?: boolean },
  ): Promise<HostSlot>;
  /** The host refused a request: no pod sends another for so long. Never shortens a pause. Never throws. */
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

export type RateLimitAnswer =
  | { kind: 'granted' }
  | {
      kind: 'queued';
      why: HoldReason;
      /** Until there may be room; null: until another request ends. */
      waitMs: number | null;
      /** Ask again after this time, unless a wake-up comes first. */
      askAgainMs: number;
    };

/**
 * Slots and queues of all budgets; each call is atomic. What a dead owner holds expires.
 * Every method may throw temporary `limiter_unavailable`.
 */
export interface RateLimitStore {
  /** Grants a slot, or keeps the ticket's place in the queue. Repeating is harmless. */
  ask(ticket: RateLimitTicket): Promise<RateLimitAnswer>;
  /** Leaves the queue. */
  leave(ticket: RateLimitTicket): Promise<void>;
  answered(ticket: RateLimitTicket, headers: RateLimitHeaders | null): Promise<void>;
  release(ticket: RateLimitTicket): Promise<void>;
  pause(budget: HostBudget, ms: number): Promise<void>;
  /** Called every few seconds with all slots of this process, also when there are none: their owner lives. */
  renew(tickets: readonly RateLimitTicket[]): Promise<void>;
  /** Calls back with the ids of tickets that should ask again now; a wake-up may be lost. One listener at a time. */
  onWakeUp(listener: (ticketId: string) => void): void;
  /** Processes that share the budgets, this one included; as last known. */
  processes(): number;
  close(): Promise<void>;
}
