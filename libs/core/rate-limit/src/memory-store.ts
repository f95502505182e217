import {
  type Clock,
  type HostBudget,
  type RateLimitHeaders,
  type RateLimitAnswer,
  type RateLimitStore,
  type RateLimitTicket,
} from '@core/domain';
import { BudgetState } from './budget-state.js';

/** More than hosts and projects at work at once; what is idle beyond it is forgotten. */
const MANY_BUDGETS = 256;
/** Tickets told that their turn may have come: as many as one event can make room for, and some to spare. */
const HEADS_TOLD = 2;

/** The book of a process that is alone. */
export class MemoryRateLimitStore implements RateLimitStore {
  private readonly states = new Map<string, BudgetState>();
  private tell: (ticketId: string) => void = () => undefined;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly windowMs: number,
  ) {}

  async ask(ticket: RateLimitTicket): Promise<RateLimitAnswer> {
    const state = this.stateOf(ticket.budget);
    const answer = state.ask(ticket, this.clock.monotonicMs());
    if (answer.kind === 'granted') this.tellHeads(state);
    return answer;
  }

  async leave({ id, budget }: RateLimitTicket): Promise<void> {
    const state = this.stateOf(budget);
    state.leave(id);
    this.tellHeads(state);
  }

  async answered({ id, budget }: RateLimitTicket, told: RateLimitHeaders | null): Promise<void> {
    this.stateOf(budget).answered(id, told, this.clock.monotonicMs());
  }

  async release({ id, budget }: RateLimitTicket): Promise<void> {
    const state = this.stateOf(budget);
    state.release(id, this.clock.monotonicMs());
    this.tellHeads(state);
  }

  async pause(budget: HostBudget, ms: number): Promise<void> {
    this.stateOf(budget).pause(this.clock.monotonicMs() + ms);
  }

  /** Nothing here outlives its owner. */
  async renew(): Promise<void> {}

  onTurn(listener: (ticketId: string) => void): void {
    this.tell = listener;
  }

  async close(): Promise<void> {
    this.states.clear();
  }

  private tellHeads(state: BudgetState): void {
    for (const { id } of state.heads(HEADS_TOLD)) this.tell(id);
  }

  private stateOf({ host, name, scope = '' }: HostBudget): BudgetState {
    const key = `${host} ${name} ${scope}`;
    const known = this.states.get(key);
    if (known !== undefined) return known;
    if (this.states.size >= MANY_BUDGETS) this.forgetIdle();
    const state = new BudgetState(this.windowMs);
    this.states.set(key, state);
    return state;
  }

  private forgetIdle(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [key, state] of this.states) if (state.isIdle(nowMs)) this.states.delete(key);
  }
}
