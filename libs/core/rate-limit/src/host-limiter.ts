import { randomUUID } from 'node:crypto';
import {
  RepotideError,
  throwIfAborted,
  type BudgetLimits,
  type Clock,
  type HostBudget,
  type HostLimiter,
  type HostSlot,
  type RateLimitAnswer,
  type RateLimitStore,
  type RateLimitTicket,
  type Logger,
  type WaitObserver,
} from '@core/domain';
import { Sleeper, type StartTimer } from './sleeper.js';

/** GitLab's windows last a minute. A longer pause belongs to the next run, not to a sleeping one. */
const LONGEST_PAUSE_MS = 120_000;
/** A person would rather be told when to come again. */
const LONGEST_WAIT_OF_A_PERSON_MS = 5_000;
/** A third of the life that a book gives to the slots of an owner that it does not hear of. */
const RENEW_MS = 10_000;

/** Hears what requests met at the hosts; for metrics. Must not throw. */
export interface LimiterListener {
  /** A request has waited, in milliseconds. */
  waited(budget: HostBudget, ms: number): void;
  /** The host has refused a request. */
  paused(budget: HostBudget): void;
}

export interface HostLimiterOptions {
  book: RateLimitStore;
  limitsOf(budget: HostBudget): BudgetLimits;
  clock: Clock;
  logger: Logger;
  /** How waits end; a real timer unless given. */
  startTimer?: StartTimer;
}

type Held = Extract<RateLimitAnswer, { kind: 'held' }>;

/** {@link HostLimiter} over a book: waits for what the book holds back, and keeps its slots alive. */
export class BookedHostLimiter implements HostLimiter {
  private readonly slots = new Map<string, RateLimitTicket>();
  private readonly sleepers = new Map<string, Sleeper>();
  private readonly listeners = new Set<LimiterListener>();
  private readonly renewal: NodeJS.Timeout;

  constructor(private readonly options: HostLimiterOptions) {
    options.book.onTurn((ticketId) => this.sleepers.get(ticketId)?.call());
    this.renewal = setInterval(() => this.renew(), RENEW_MS).unref();
  }

  async take(
    budget: HostBudget,
    signal: AbortSignal,
    { observer, isUrgent = false }: { observer?: WaitObserver | undefined; isUrgent?: boolean } = {},
  ): Promise<HostSlot> {
    throwIfAborted(signal);
    const limits = this.options.limitsOf(budget);
    const ticket: RateLimitTicket = { id: randomUUID(), budget, limits, isUrgent };
    const sleeper = new Sleeper(this.options.startTimer);
    this.sleepers.set(ticket.id, sleeper);
    let heldSinceMs: number | null = null;
    try {
      for (;;) {
        const answer = await this.options.book.ask(ticket);
        if (answer.kind === 'granted') return this.granted(ticket, signal);
        heldSinceMs ??= this.options.clock.monotonicMs();
        this.show(ticket, answer, observer);
        await sleeper.sleep(answer.askAgainMs, signal);
        throwIfAborted(signal);
      }
    } catch (thrown) {
      this.quietly(this.options.book.leave(ticket));
      throw thrown;
    } finally {
      this.sleepers.delete(ticket.id);
      if (heldSinceMs !== null) this.waitEnded(ticket, heldSinceMs, observer);
    }
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    for (const listener of this.listeners) listener.paused(budget);
    try {
      await this.options.book.pause(budget, ms);
    } catch (thrown) {
      this.options.logger.debug({ ...budget, error: String(thrown) }, 'pause of a host not written down');
    }
  }

  /** @returns ends it. */
  listen(listener: LimiterListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.renewal);
    await this.options.book.close();
  }

  private show(ticket: RateLimitTicket, { why, waitMs }: Held, observer: WaitObserver | undefined): void {
    const until = waitMs === null ? null : new Date(this.options.clock.now().getTime() + waitMs);
    if (until !== null && isTooLong(ticket, why, waitMs ?? 0)) throw hostPaused(ticket.budget, until);
    observer?.waiting(ticket, { budget: ticket.budget, why, until });
  }

  private waitEnded(ticket: RateLimitTicket, sinceMs: number, observer: WaitObserver | undefined): void {
    observer?.resumed(ticket);
    const ms = this.options.clock.monotonicMs() - sinceMs;
    for (const listener of this.listeners) listener.waited(ticket.budget, ms);
  }

  private granted(ticket: RateLimitTicket, signal: AbortSignal): HostSlot {
    const { book } = this.options;
    if (signal.aborted) {
      // Granted while the caller gave up: nobody will use it.
      this.quietly(book.release(ticket));
      throwIfAborted(signal);
    }
    this.slots.set(ticket.id, ticket);
    return {
      answered: (told) => this.quietly(book.answered(ticket, told ?? null)),
      release: () => {
        if (this.slots.delete(ticket.id)) this.quietly(book.release(ticket));
      },
    };
  }

  private renew(): void {
    if (this.slots.size > 0) this.quietly(this.options.book.renew([...this.slots.values()]));
  }

  /** What the book does not hear of ends by itself. */
  private quietly(work: Promise<void>): void {
    work.catch((thrown: unknown) => this.options.logger.debug({ error: String(thrown) }, 'limiter not told'));
  }
}

function isTooLong({ isUrgent }: RateLimitTicket, why: Held['why'], waitMs: number): boolean {
  if (isUrgent) return waitMs > LONGEST_WAIT_OF_A_PERSON_MS;
  return why === 'paused' && waitMs > LONGEST_PAUSE_MS;
}

function hostPaused({ host }: HostBudget, retryAt: Date): RepotideError {
  const message = `${host} grants no more requests before ${retryAt.toISOString()}. Ask again after that.`;
  return new RepotideError('rate_limited', 'host_paused', message, { retryAt, details: { host } });
}
