import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleepFor } from 'node:timers/promises';
import {
  RepotideError,
  throwIfAborted,
  type BudgetLimits,
  type Clock,
  type HostBudget,
  type HostLimiter,
  type HostSlot,
  type Logger,
  type RateLimitReply,
  type RateLimitStore,
  type RateLimitTicket,
  type WaitObserver,
} from '@core/domain';

/** GitLab's windows last a minute. For a longer pause, a run does not wait: its next attempt starts after the pause. */
const MAX_PAUSE_MS = 120_000;
/** Instead of a longer wait, a person gets an error with the time for a retry. */
const MAX_URGENT_WAIT_MS = 5_000;
/** A third of the time after which a store expires the slots of a process that does not renew them. */
const RENEW_MS = 10_000;

/** For metrics. Must not throw. */
export interface LimiterObserver {
  waited(budget: HostBudget, ms: number): void;
  /** The host has refused a request. */
  paused(budget: HostBudget): void;
}

export interface HostLimiterOptions {
  store: RateLimitStore;
  limitsOf(budget: HostBudget): BudgetLimits;
  clock: Clock;
  logger: Logger;
  observer?: LimiterObserver;
  /** Ends early, without an error, when the signal fires. Default: real time. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** {@link HostLimiter} with a store: waits in the store's queue and renews the slots of this process. */
export class QueueingHostLimiter implements HostLimiter {
  private readonly slots = new Map<string, RateLimitTicket>();
  /** By waiting ticket: aborting the controller ends the current or next wait. */
  private readonly wakeUps = new Map<string, AbortController>();
  private readonly renewal: NodeJS.Timeout;

  constructor(private readonly options: HostLimiterOptions) {
    const { store } = options;
    store.onWakeUp((ticketId) => this.wakeUps.get(ticketId)?.abort());
    this.renewal = setInterval(() => this.ignore(store.renew([...this.slots.values()])), RENEW_MS).unref();
  }

  async take(
    budget: HostBudget,
    signal: AbortSignal,
    { observer, isUrgent = false }: { observer?: WaitObserver | undefined; isUrgent?: boolean } = {},
  ): Promise<HostSlot> {
    throwIfAborted(signal);
    const { store, clock } = this.options;
    const ticket = { id: randomUUID(), budget, limits: this.options.limitsOf(budget), isUrgent };
    const abort = (): void => this.wakeUps.get(ticket.id)?.abort();
    // All requests of a run share its signal; Node warns of a leak from eleven listeners on.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', abort, { once: true });
    let queuedAtMs: number | null = null;
    try {
      for (;;) {
        const wakeUp = new AbortController();
        this.wakeUps.set(ticket.id, wakeUp);
        const answer = await store.acquire(ticket);
        if (answer.kind === 'granted') return this.grant(ticket, signal);
        queuedAtMs ??= clock.monotonicMs();
        this.reportWait(ticket, answer, observer);
        await this.sleep(answer.retryInMs, wakeUp.signal);
        throwIfAborted(signal);
      }
    } catch (thrown) {
      this.ignore(store.cancel(ticket));
      throw thrown;
    } finally {
      signal.removeEventListener('abort', abort);
      this.wakeUps.delete(ticket.id);
      if (queuedAtMs !== null) {
        observer?.resumed(ticket);
        this.options.observer?.waited(budget, clock.monotonicMs() - queuedAtMs);
      }
    }
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    const { store, observer, logger } = this.options;
    observer?.paused(budget);
    try {
      await store.pause(budget, ms);
    } catch (thrown) {
      logger.debug({ ...budget, error: String(thrown) }, 'pause of a host was not stored');
    }
  }

  async close(): Promise<void> {
    clearInterval(this.renewal);
    await this.options.store.close();
  }

  private async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { sleep = (delay, end) => sleepFor(delay, undefined, { signal: end }) } = this.options;
    if (!signal.aborted) await sleep(ms, signal).catch(() => undefined);
  }

  /** @throws rate_limited `host_paused` when the wait is too long. */
  private reportWait(
    ticket: RateLimitTicket,
    { reason, waitMs }: Extract<RateLimitReply, { kind: 'queued' }>,
    observer: WaitObserver | undefined,
  ): void {
    const { budget, isUrgent } = ticket;
    const until = waitMs === null ? null : new Date(this.options.clock.now().getTime() + waitMs);
    const maxWaitMs = isUrgent ? MAX_URGENT_WAIT_MS : reason === 'paused' ? MAX_PAUSE_MS : Infinity;
    if (until === null || (waitMs ?? 0) <= maxWaitMs)
      return observer?.waiting(ticket, { budget, reason, until });
    const message = `The rate limit of ${budget.host} allows no request before ${until.toISOString()}. Try again after that.`;
    const details = { host: budget.host };
    throw new RepotideError('rate_limited', 'host_paused', message, { retryAt: until, details });
  }

  private grant(ticket: RateLimitTicket, signal: AbortSignal): HostSlot {
    const { store } = this.options;
    if (signal.aborted) {
      this.ignore(store.release(ticket, null));
      throwIfAborted(signal);
    }
    this.slots.set(ticket.id, ticket);
    return {
      release: (headers = null) => {
        if (this.slots.delete(ticket.id)) this.ignore(store.release(ticket, headers));
      },
    };
  }

  /** For calls whose failure is harmless, because the store expires slots and queue places by itself. */
  private ignore(call: Promise<void>): void {
    call.catch((thrown: unknown) =>
      this.options.logger.debug({ error: String(thrown) }, 'rate limit store call failed'),
    );
  }
}
