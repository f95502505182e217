import { type IncomingHttpHeaders } from 'node:http';
import {
  type HostBudget,
  type HostLimiter,
  type HostSlot,
  RepotideError,
  type SourceUse,
} from '@core/domain';
import { quotaExhausted } from './failure.js';
import { isOfGeneralLimit, msUntilQuota, toldBy } from './rate-limit.js';

/** What GitLab limits a request by beside the general limit, which counts every request. */
export type Apart = { name: 'files' } | { name: 'archive'; scope: string } | null;

export interface HostTurnsOptions {
  baseUrl: string;
  limiter: HostLimiter;
  use: SourceUse;
  now(): Date;
}

/** Takes turns at one GitLab, for one run. */
export class HostTurns {
  constructor(private readonly options: HostTurnsOptions) {}

  /** @throws rate_limited `source_rate_limited` when GitLab wants more quiet than a run waits for. */
  async take(apart: Apart, signal: AbortSignal): Promise<Turn> {
    const turn = new Turn(this.options, apart);
    await turn.again(signal);
    return turn;
  }
}

/** The right to one request, in every budget that it counts in. */
export class Turn {
  private general: HostSlot | null = null;
  private apartSlot: HostSlot | null = null;

  constructor(
    private readonly options: HostTurnsOptions,
    private readonly apart: Apart,
  ) {}

  /** Gives back what it has and takes a turn once more: for a request that leads to another. */
  async again(signal: AbortSignal): Promise<void> {
    this.release();
    const { limiter, use } = this.options;
    try {
      // The narrower first: who waits for it must not hold what everybody needs.
      if (this.apart !== null) this.apartSlot = await limiter.take(this.budgetOf(this.apart), signal, use);
      this.general = await limiter.take(this.budgetOf({ name: 'general' }), signal, use);
    } catch (thrown) {
      this.release();
      throw this.translate(thrown);
    }
  }

  /** The answer has begun. */
  answered(headers: IncomingHttpHeaders): void {
    this.apartSlot?.answered();
    this.general?.answered(toldBy(headers, this.options.now()));
  }

  /** GitLab has refused it: nobody asks again before the refusal says. */
  refused(headers: IncomingHttpHeaders): Promise<void> {
    // Single files have no limit of their own in GitLab that is not in the headers; archives have.
    const isOwn = this.apart?.name === 'archive' && !isOfGeneralLimit(headers);
    const budget = this.budgetOf(isOwn ? this.apart : { name: 'general' });
    return this.options.limiter.pause(budget, msUntilQuota(headers, this.options.now()));
  }

  /** Never throws; repeating is harmless. */
  release(): void {
    this.apartSlot?.release();
    this.general?.release();
    this.apartSlot = this.general = null;
  }

  private budgetOf(budget: Omit<HostBudget, 'host'>): HostBudget {
    return { host: new URL(this.options.baseUrl).host, ...budget };
  }

  private translate(thrown: unknown): unknown {
    if (!(thrown instanceof RepotideError) || thrown.code !== 'host_paused') return thrown;
    return quotaExhausted(this.options.baseUrl, thrown.retryAt ?? this.options.now());
  }
}
