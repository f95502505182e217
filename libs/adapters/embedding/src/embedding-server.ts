import {
  Gate,
  type HostBudget,
  type HostLimiter,
  type HostSlot,
  RepotideError,
  type WaitObserver,
} from '@core/domain';
import {
  isContactLost,
  isInputRefusal,
  isTooLong,
  serverPaused,
  type ServerAccess,
} from './openai-errors.js';
import { readRateLimit } from './rate-headers.js';
import { DEFAULT_RETRY, RetryBudget, type RetryPolicy, withRetry } from './retry.js';
import { toVector } from './vectors.js';

export interface ServerOptions extends ServerAccess {
  /** Parallel requests of this process. */
  concurrency: number;
  /** Keeps all processes within the server's rate limit. */
  limiter: HostLimiter;
  retry: RetryPolicy | undefined;
  /** Sent as `dimensions`, unless it is the model's own length: vLLM refuses even that (vllm#16331). */
  requestedDimensions: number | undefined;
}

/** For whom a request is made. */
export interface Caller {
  signal: AbortSignal;
  observer?: WaitObserver | undefined;
  /** A person waits for the answer. */
  isUrgent: boolean;
  /** Do not repeat the request when it fails. */
  isOnce?: boolean;
}

export interface Answer {
  vectors: Float32Array[];
  /** All tokens that the server says it embedded; null: it does not say. */
  promptTokens: number | null;
}

/** Sends requests: a few at a time, within the host's limits, repeated while they fail. */
export class EmbeddingServer {
  /** Whether the server may have been restarted since this was last set to false. */
  hasLostContact = false;
  private readonly gate: Gate;
  private readonly budget: HostBudget;
  private readonly retries = new RetryBudget();
  private isLengthAccepted = false;

  constructor(private readonly options: ServerOptions) {
    this.gate = new Gate(options.concurrency);
    this.budget = { host: new URL(options.url).host, name: 'embedding' };
  }

  /** @param length of each vector; null: any. */
  request(texts: string[], length: number | null, caller: Caller): Promise<Answer> {
    return this.gate.run(() => this.requestWithLength(texts, length, caller), caller.isUrgent, caller.signal);
  }

  private async requestWithLength(texts: string[], length: number | null, caller: Caller): Promise<Answer> {
    const { requestedDimensions } = this.options;
    try {
      const answer = await this.requestRetrying(texts, length, caller);
      this.isLengthAccepted = true;
      return answer;
    } catch (error) {
      const isRefusal = isInputRefusal(error) && !isTooLong(error);
      if (requestedDimensions === undefined || this.isLengthAccepted || !isRefusal) throw error;
      // A server that cannot shorten vectors refuses `dimensions`; the length of its vectors is checked anyway.
      this.options.requestedDimensions = undefined;
      return this.requestRetrying(texts, length, caller).catch((refusal: unknown) => {
        this.options.requestedDimensions = requestedDimensions;
        throw refusal;
      });
    }
  }

  private requestRetrying(texts: string[], length: number | null, caller: Caller): Promise<Answer> {
    const attempt = () => this.requestOnce(texts, length, caller);
    const { limiter, retry: usual = DEFAULT_RETRY } = this.options;
    const retry = caller.isOnce === true ? { ...usual, attempts: 1 } : usual;
    const pause = (ms: number) => limiter.pause(this.budget, ms);
    return withRetry(attempt, retry, { budget: this.retries, pause }, caller.signal);
  }

  private async requestOnce(texts: string[], length: number | null, caller: Caller): Promise<Answer> {
    const { requestedDimensions, model } = this.options;
    const slot = await this.takeSlot(caller);
    let headers: Headers | null = null;
    try {
      // Imported with the first request: the client is hundreds of modules, which the built-in embedder does not need.
      const { requestVectors } = await import('./openai-request.js');
      const onAnswer = (sent: Headers) => (headers = sent);
      const raw = await requestVectors(texts, requestedDimensions, this.options, caller.signal, onAnswer);
      return { ...raw, vectors: raw.vectors.map((values) => toVector(values, length, model)) };
    } catch (error) {
      if (error instanceof RepotideError && isContactLost(error)) this.hasLostContact = true;
      throw error;
    } finally {
      slot.release(headers && readRateLimit(headers));
    }
  }

  private async takeSlot({ signal, observer, isUrgent }: Caller): Promise<HostSlot> {
    try {
      return await this.options.limiter.take(this.budget, signal, { observer, isUrgent });
    } catch (thrown) {
      if (!(thrown instanceof RepotideError) || thrown.code !== 'host_paused') throw thrown;
      throw serverPaused(this.options, thrown.retryAt);
    }
  }
}
