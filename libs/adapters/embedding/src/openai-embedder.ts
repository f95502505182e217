import {
  type Embedder,
  type EmbeddingModel,
  type EmbeddingPurpose,
  type HostBudget,
  type HostLimiter,
  type HostSlot,
  type Logger,
  RepotideError,
  TextsRefusedError,
  throwIfAborted,
  type WaitObserver,
} from '@core/domain';
import pMap from 'p-map';
import { Gate } from './gate.js';
import { findKnownModel } from './known-models.js';
import {
  answerInvalid,
  isInputRefusal,
  maybeInputRefusal,
  serverPaused,
  type ServerFacts,
} from './openai-errors.js';
import { readRateLimit } from './rate-headers.js';
import { DEFAULT_RETRY, RetryBudget, type RetryPolicy, withRetry } from './retry.js';
import { shorten, toBatches, toInput, toVector } from './vectors.js';

/** OpenAI accepts 300,000 tokens per request: half a mebibyte at two bytes a token, and only random text has fewer. */
const MAX_BATCH_BYTES = 512 * 1024;

/** Texts are not cut below this for a model of unknown limit; the smallest models in use take 256 tokens. */
const UNKNOWN_LIMIT_TOKENS = 256;

export interface OpenAiEmbedderOptions {
  /** Base URL up to where `/embeddings` follows, e.g. `https://api.openai.com/v1`. */
  url: string;
  model: string;
  apiKey?: string;
  /** Vector length; default: the known model's, otherwise found by {@link OpenAiEmbedder.probe}. */
  dimensions?: number;
  /** Default: the known model's, otherwise none. */
  maxInputTokens?: number;
  /** Texts in one request. */
  batchSize: number;
  /** Parallel requests of this process. */
  concurrency: number;
  /** Time limit of one request. */
  timeoutSeconds: number;
  /** Keeps all processes within the server's rate limit. */
  limiter: HostLimiter;
  retry?: RetryPolicy;
  /** Receives one warning when texts are longer than the model takes. */
  logger?: Logger;
}

/** For whom a request is made. */
interface Caller {
  signal: AbortSignal;
  observer: WaitObserver | undefined;
  /** A person waits for the answer. */
  isUrgent: boolean;
}

/** Gets vectors from any server with OpenAI's `/embeddings`. The constructor sends no request. */
export class OpenAiEmbedder implements Embedder {
  private readonly server: ServerFacts;
  private readonly gate: Gate;
  private readonly budget: HostBudget;
  private readonly retries = new RetryBudget();
  private readonly maxInputTokens: number | null;
  private known: EmbeddingModel | undefined;
  /** Sent as `dimensions`, unless it is the model's own length: vLLM refuses even that (vllm#16331). */
  private askedDimensions: number | undefined;
  private isAskingAccepted = false;
  private hasWarned = false;

  constructor(private readonly options: OpenAiEmbedderOptions) {
    const { url, model, apiKey, timeoutSeconds } = options;
    const facts = findKnownModel(model);
    this.server = { url, model, apiKey, timeoutMs: timeoutSeconds * 1000 };
    this.gate = new Gate(options.concurrency);
    this.budget = { host: new URL(url).host, name: 'embedding' };
    this.maxInputTokens = options.maxInputTokens ?? facts?.maxInputTokens ?? null;
    const dimensions = options.dimensions ?? facts?.dimensions;
    if (dimensions !== undefined) this.known = this.describe(dimensions);
    if (options.dimensions !== facts?.dimensions) this.askedDimensions = options.dimensions;
  }

  /** @throws temporary `embedding_unavailable` while the vector length is neither set, known nor probed. */
  get model(): EmbeddingModel {
    if (this.known !== undefined) return this.known;
    const message = `The vector length of the model ${this.options.model} is not known: the embedding server at ${this.options.url} has not answered yet. Set EMBEDDING_DIMENSIONS to start without its answer.`;
    throw new RepotideError('temporary', 'embedding_unavailable', message);
  }

  /** Embeds one word to find the vector length, unless it is known. Throws like `embed`. */
  async probe(signal: AbortSignal): Promise<EmbeddingModel> {
    if (this.known !== undefined) return this.known;
    const [values] = await this.gate.run(
      () => this.request(['probe'], { signal, observer: undefined, isUrgent: true }),
      true,
      signal,
    );
    if (!Array.isArray(values) || values.length === 0) throw answerInvalid('a vector is empty');
    toVector(values, values.length, this.options.model);
    return (this.known ??= this.describe(values.length));
  }

  async embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    observer?: WaitObserver,
    onMade?: (vectors: number) => void,
  ): Promise<Float32Array[]> {
    throwIfAborted(signal);
    if (texts.length === 0) return [];
    const { dimensions } = await this.probe(signal);
    const batches = toBatches(texts.map(toInput), this.options.batchSize, MAX_BATCH_BYTES);
    // Stops the other batches when one fails.
    const failure = new AbortController();
    const either = AbortSignal.any([signal, failure.signal]);
    const isUrgent = purpose === 'query';
    const caller: Caller = { signal: either, observer, isUrgent };
    const embedBatch = async (batch: string[]) => {
      const results = await this.gate.run(() => this.embedBatch(batch, dimensions, caller), isUrgent, either);
      onMade?.(batch.length);
      return results;
    };
    try {
      const results = (await pMap(batches, embedBatch, { concurrency: this.options.concurrency })).flat();
      if (results.every((result) => result instanceof Float32Array)) return results;
      throw new TextsRefusedError(results);
    } catch (error) {
      failure.abort(error);
      throwIfAborted(signal);
      throw error;
    }
  }

  /**
   * Halves a refused batch until the refused text is alone, then shortens that text until the model accepts it: a text
   * that is too long gets the vector of its beginning. A text that stays refused gets its error as result.
   */
  private async embedBatch(
    texts: string[],
    dimensions: number,
    caller: Caller,
  ): Promise<(Float32Array | RepotideError)[]> {
    try {
      const answer = await this.request(texts, caller);
      return answer.map((values) => toVector(values, dimensions, this.options.model));
    } catch (error) {
      const refusal = await this.refusalIn(error, dimensions, caller);
      if (refusal === null) throw error;
      if (texts.length === 1) return [await this.embedRefused(texts[0]!, refusal, dimensions, caller)];
      const middle = Math.ceil(texts.length / 2);
      const head = await this.embedBatch(texts.slice(0, middle), dimensions, caller);
      return [...head, ...(await this.embedBatch(texts.slice(middle), dimensions, caller))];
    }
  }

  private async embedRefused(
    text: string,
    refusal: RepotideError,
    dimensions: number,
    caller: Caller,
  ): Promise<Float32Array | RepotideError> {
    const shorter = shorten(text, this.maxInputTokens ?? UNKNOWN_LIMIT_TOKENS);
    if (shorter === undefined) return this.textRefused(refusal, caller);
    const [result] = await this.embedBatch([shorter], dimensions, caller);
    if (result instanceof Float32Array) this.warnOfShortening();
    return result!;
  }

  /**
   * The error when the texts caused it, otherwise null: the server refused them, or failed on them and right after
   * makes a usable vector of another text. Some models answer some texts with zeros, broken JSON or 500
   * (ollama/ollama#13572).
   */
  private async refusalIn(error: unknown, dimensions: number, caller: Caller): Promise<RepotideError | null> {
    if (isInputRefusal(error)) return error;
    if (!maybeInputRefusal(error)) return null;
    try {
      const [values] = await this.requestOnce(['probe'], this.askedDimensions, caller);
      toVector(values, dimensions, this.options.model);
      return error;
    } catch {
      throwIfAborted(caller.signal);
      return null;
    }
  }

  /** @throws the refusal when the server refuses another text too: then its settings are wrong, not the text. */
  private async textRefused(refusal: RepotideError, caller: Caller): Promise<RepotideError> {
    try {
      await this.request(['probe'], caller);
    } catch (error) {
      throw isInputRefusal(error) ? refusal : error;
    }
    const message = `The model refuses this text and accepts others. ${refusal.message}`;
    return new RepotideError('invalid', 'embedding_text_refused', message, { details: refusal.details });
  }

  private async request(texts: string[], caller: Caller): Promise<unknown[]> {
    const asked = this.askedDimensions;
    try {
      const vectors = await this.requestRetrying(texts, asked, caller);
      this.isAskingAccepted = true;
      return vectors;
    } catch (error) {
      // A server that cannot shorten vectors refuses `dimensions`; the caller checks the length of its vectors.
      if (asked === undefined || this.isAskingAccepted || !isInputRefusal(error)) throw error;
      const vectors = await this.requestRetrying(texts, undefined, caller);
      this.askedDimensions = undefined;
      return vectors;
    }
  }

  private requestRetrying(
    texts: string[],
    dimensions: number | undefined,
    caller: Caller,
  ): Promise<unknown[]> {
    const attempt = () => this.requestOnce(texts, dimensions, caller);
    const { limiter, retry = DEFAULT_RETRY } = this.options;
    const pause = (ms: number) => limiter.pause(this.budget, ms);
    return withRetry(attempt, retry, { budget: this.retries, pause }, caller.signal);
  }

  private async requestOnce(
    texts: string[],
    dimensions: number | undefined,
    { signal, observer, isUrgent }: Caller,
  ): Promise<unknown[]> {
    const slot = await this.takeSlot(signal, { observer, isUrgent });
    try {
      // Imported with the first request: the client is hundreds of modules, which the built-in embedder does not need.
      const { requestVectors } = await import('./openai-request.js');
      const onAnswer = (headers: Headers) => slot.answered(readRateLimit(headers));
      return await requestVectors(texts, dimensions, this.server, signal, onAnswer);
    } finally {
      slot.release();
    }
  }

  private async takeSlot(signal: AbortSignal, options: Omit<Caller, 'signal'>): Promise<HostSlot> {
    try {
      return await this.options.limiter.take(this.budget, signal, options);
    } catch (thrown) {
      if (!(thrown instanceof RepotideError) || thrown.code !== 'host_paused') throw thrown;
      throw serverPaused(this.server, thrown.retryAt);
    }
  }

  private describe(dimensions: number): EmbeddingModel {
    const id = `${this.options.model}@${dimensions}`;
    return Object.freeze({ id, dimensions, maxInputTokens: this.maxInputTokens });
  }

  private warnOfShortening(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.options.logger?.warn(
      { model: this.options.model, max_input_tokens: this.maxInputTokens },
      'some texts are longer than the model takes, only their beginning is embedded; lower CHUNK_SIZE',
    );
  }
}
