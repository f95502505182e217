import { type IncomingHttpHeaders } from 'node:http';
import {
  type HostBudget,
  type HostLimiter,
  type HostSlot,
  RepotideError,
  type SourceUse,
  systemClock,
} from '@core/domain';
import { quotaExhausted } from './failure.js';
import { isGeneralLimit, msUntilQuotaReset, readRateLimit } from './rate-limit-headers.js';

/** The limit that GitLab applies to a request beside the general one, which counts every request; null: none. */
export type ExtraBudget = { name: 'files' } | { name: 'archive'; scope: string } | null;

export interface RequestSlotOptions {
  baseUrl: string;
  /** Keeps the requests of all sources on all pods within the limits of a GitLab. */
  limiter: HostLimiter;
  use: SourceUse;
}

/** Permission for one request, in every budget that it counts in. */
export class RequestSlot {
  private generalSlot: HostSlot | null = null;
  private extraSlot: HostSlot | null = null;
  /** The headers of the response to the present request. */
  private headers: IncomingHttpHeaders | null = null;

  private constructor(
    private readonly options: RequestSlotOptions,
    private readonly extra: ExtraBudget,
  ) {}

  /** @throws rate_limited `source_rate_limited` when GitLab refuses requests for longer than a run waits. */
  static async take(
    options: RequestSlotOptions,
    extra: ExtraBudget,
    signal: AbortSignal,
  ): Promise<RequestSlot> {
    const slot = new RequestSlot(options, extra);
    await slot.retake(signal);
    return slot;
  }

  /** Releases the slot and takes another, for a request that follows from this one. @throws as `take`. */
  async retake(signal: AbortSignal): Promise<void> {
    this.release();
    const { limiter, use, baseUrl } = this.options;
    try {
      // The narrow budget first: a request that waits for it must not hold a slot of the general one.
      if (this.extra !== null) this.extraSlot = await limiter.take(this.budgetOf(this.extra), signal, use);
      this.generalSlot = await limiter.take(this.budgetOf({ name: 'general' }), signal, use);
    } catch (thrown) {
      this.release();
      if (!(thrown instanceof RepotideError) || thrown.code !== 'host_paused') throw thrown;
      throw quotaExhausted(baseUrl, thrown.retryAt ?? systemClock.now());
    }
  }

  /** Call when the response starts. */
  answered(headers: IncomingHttpHeaders): void {
    this.headers = headers;
  }

  /** After a 429: no pod sends a request of this budget until the time in the response. Never throws. */
  pauseHost(headers: IncomingHttpHeaders): Promise<void> {
    // GitLab's limit for archives is not in the headers. Files have no such limit.
    const isArchiveLimit = this.extra?.name === 'archive' && !isGeneralLimit(headers);
    const budget = this.budgetOf(isArchiveLimit ? this.extra : { name: 'general' });
    return this.options.limiter.pause(budget, msUntilQuotaReset(headers, systemClock.now()));
  }

  /** Never throws; repeating is harmless. */
  release(): void {
    this.extraSlot?.release();
    this.generalSlot?.release(this.headers && readRateLimit(this.headers, systemClock.now()));
    this.extraSlot = this.generalSlot = this.headers = null;
  }

  private budgetOf(budget: Omit<HostBudget, 'host'>): HostBudget {
    return { host: new URL(this.options.baseUrl).host, ...budget };
  }
}
