import { isRetryable, type RepotideError, sleep, throwIfAborted, type Logger } from '@core/domain';
import { type QdrantAddress } from './address.js';
import { type QdrantApi, type QdrantClientHandle } from './client.js';
import { notQdrant, translate, unavailable } from './errors.js';
import { Permissions } from './permissions.js';

export interface CallLimits {
  /** Time limit of one attempt in milliseconds. */
  timeoutMs: number;
  /** First pause; doubled each time, up to {@link ATTEMPTS} attempts. */
  retryDelayMs: number;
}

type Answer<T> = Promise<{ status: number; data: { result?: T } }>;

/** One call and three retries: with the default pause under two seconds, enough for a restarted replica set. */
const ATTEMPTS = 4;
/** When the server asks for a longer pause, its error is thrown. */
const LONGEST_WAIT_MS = 10_000;
/** Strict mode limits the points of a minute: a write waits until the next ones are allowed, and other runs take some. */
const RATE_LIMITED_WRITE = { attempts: 20, longestWaitMs: 60_000 };

/** Sends requests with signal, time limit, retries and translated errors. Every request is idempotent. */
export class QdrantCaller {
  readonly permissions: Permissions;

  constructor(
    private readonly client: QdrantClientHandle,
    private readonly address: QdrantAddress,
    private readonly limits: CallLimits,
    private readonly logger: Logger,
  ) {
    this.permissions = new Permissions(logger);
  }

  /** The `result` of an answer. @throws RepotideError, never the client's own errors. */
  async result<T>(send: (api: QdrantApi, init: RequestInit) => Answer<T>, signal: AbortSignal): Promise<T> {
    return this.retry(async (init) => {
      const answer = await send(this.client.api, init);
      const result: T | undefined = answer.data.result;
      if (result === undefined || result === null) throw notQdrant(this.address, answer.status);
      return result;
    }, signal);
  }

  /**
   * Like {@link result}, for a write: resolves when it is applied, not merely queued. A write that did not answer in time
   * is sent again: it waits in the server's queue, and is then found applied.
   */
  async applied(
    send: (api: QdrantApi, init: RequestInit) => Answer<{ status: string }>,
    signal: AbortSignal,
  ): Promise<void> {
    const write = async (init: RequestInit): Promise<void> => {
      const answer = await send(this.client.api, init);
      const status = answer.data.result?.status;
      if (status === undefined) throw notQdrant(this.address, answer.status);
      if (status !== 'completed') throw this.notApplied(status);
    };
    await this.retry(write, signal, true);
  }

  /** For endpoints whose answer has no `result`. */
  async raw<T>(
    send: (api: QdrantApi, init: RequestInit) => Promise<{ data: T }>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.retry(async (init) => (await send(this.client.api, init)).data, signal);
  }

  private async retry<T>(
    attempt: (init: RequestInit) => Promise<T>,
    signal: AbortSignal,
    isWrite = false,
  ): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      throwIfAborted(signal);
      try {
        return await this.within(attempt, signal);
      } catch (thrown) {
        throwIfAborted(signal);
        const error = translate(thrown, { address: this.address, apiKey: this.client.apiKey }, new Date());
        const isTimeout = error.details['timeout_ms'] !== undefined;
        const delayMs = isTimeout && !isWrite ? null : this.pauseAfter(error, attempts, isWrite);
        if (delayMs === null) throw error;
        const facts = { code: error.code, attempts, delayMs, ...error.details };
        this.logger.warn(facts, 'retrying a Qdrant request');
        await sleep(delayMs, signal);
      }
    }
  }

  private async within<T>(attempt: (init: RequestInit) => Promise<T>, signal: AbortSignal): Promise<T> {
    const controller = new AbortController();
    const stop = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(() => controller.abort(this.timedOut()), this.limits.timeoutMs);
    const init = { signal: controller.signal, dispatcher: this.client.dispatcher };
    try {
      return await attempt(init as unknown as RequestInit);
    } catch (thrown) {
      // Our own abort of a body appears as a network error.
      throw controller.signal.aborted ? controller.signal.reason : thrown;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Null: do not retry. A read that timed out is not retried either: it was long enough. */
  private pauseAfter(error: RepotideError, attempts: number, isWrite: boolean): number | null {
    const limits =
      isWrite && error.kind === 'rate_limited'
        ? RATE_LIMITED_WRITE
        : { attempts: ATTEMPTS, longestWaitMs: LONGEST_WAIT_MS };
    if (!isRetryable(error) || attempts >= limits.attempts) return null;
    const backoffMs = this.limits.retryDelayMs * 2 ** (attempts - 1) * (0.5 + Math.random() / 2);
    if (error.retryAt === undefined) return backoffMs;
    const askedMs = error.retryAt.getTime() - Date.now();
    return askedMs > limits.longestWaitMs ? null : Math.max(askedMs, backoffMs);
  }

  private timedOut(): RepotideError {
    const { timeoutMs } = this.limits;
    const message = `Qdrant at ${this.address.shown} did not answer within ${timeoutMs} ms.`;
    return unavailable(message, { details: { timeout_ms: timeoutMs } });
  }

  private notApplied(status: string): RepotideError {
    const message = `Qdrant at ${this.address.shown} accepted a write but has not applied it yet (status ${status}).`;
    return unavailable(message, { details: { status } });
  }
}
