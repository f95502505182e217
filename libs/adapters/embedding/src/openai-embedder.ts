import {
  type Embedder,
  type EmbeddingModel,
  type EmbeddingPurpose,
  type HostBudget,
  type HostLimiter,
  type HostSlot,
  type Logger,
  RepotideError,
  throwIfAborted,
  type WaitObserver,
} from '@core/domain';
import pMap from 'p-map';
import { shorten, toBatches, toInput } from './batches.js';
import { Gate } from './gate.js';
import { findKnownModel } from './known-models.js';
import { isInputRefusal, isPerhapsOfInput, quietAskedFor, type ServerFacts } from './openai-errors.js';
import { toldBy } from './rate-headers.js';
import { DEFAULT_RETRY, RetryBudget, type RetryPolicy, withRetry } from './retry.js';
import { answerInvalid, toVector } from './vectors.js';

/**
 * OpenAI takes 300,000 tokens in one request. Half a mebibyte stays below that for any text that averages two bytes
 * a token or more, which all but random text does.
 */
const MAX_BATCH_BYTES = 512 * 1024;

/** Shortest a text is cut to for a model of unknown limit; the smallest models in use take 256 tokens. */
const UNKNOWN_LIMIT_TOKENS = 256;

export interface OpenAiEmbedderOptions {
  /** Base URL up to where `/embeddings` follows, e.g. `https://api.openai.com/v1`. */
  url: string;
  model: string;
  apiKey?: string;
  /** Vector length; default: the known model's, otherwise found out by {@link OpenAiEmbedder.probe}. */
  dimensions?: number;
  /** Default: the known model's, otherwise none. */
  maxInputTokens?: number;
  /** Texts in one request. */
  batchSize: number;
  /** Requests under way at once, of this process. */
  concurrency: number;
  /** Time limit of one request. */
  timeoutSeconds: number;
  /** Keeps all processes within what the server grants. */
  limiter: HostLimiter;
  retry?: RetryPolicy;
  /** Is told once when texts are longer than the model takes. */
  logger?: Logger;
}

export interface OpenAiEmbedder extends Embedder {
  /** @throws temporary `embedding_unavailable` while the vector length is neither given, known nor probed. */
  readonly model: EmbeddingModel;
  /** The model; asks the server for its vector length by embedding a word, at most once. Throws as `embed` does. */
  probe(signal: AbortSignal): Promise<EmbeddingModel>;
}

/** On whose behalf a request is made. */
interface Errand {
  signal: AbortSignal;
  observer: WaitObserver | undefined;
  /** A person waits for the answer. */
  isUrgent: boolean;
}

/** Vectors from any server with OpenAI's `/embeddings`. Makes no request by itself. */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): OpenAiEmbedder {
  return new RemoteEmbedder(options);
}

class RemoteEmbedder implements OpenAiEmbedder {
  private readonly server: ServerFacts;
  private readonly gate: Gate;
  private readonly budget: HostBudget;
  private readonly retries = new RetryBudget();
  private readonly maxInputTokens: number | null;
  private known: EmbeddingModel | undefined;
  /** Sent as `dimensions`. Not when it is the model's own length: vLLM refuses even that (vllm#16331). */
  private askedDimensions: number | undefined;
  private isAskingAccepted = false;
  private isShorteningTold = false;

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

  get model(): EmbeddingModel {
    if (this.known !== undefined) return this.known;
    const message = `The vector length of the model ${this.options.model} is not known: the embedding server at ${this.options.url} has not been asked yet. Set EMBEDDING_DIMENSIONS to do without asking.`;
    throw new RepotideError('temporary', 'embedding_unavailable', message);
  }

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
    // Stops the others when one batch fails: nobody would read their answers.
    const failure = new AbortController();
    const either = AbortSignal.any([signal, failure.signal]);
    const isUrgent = purpose === 'query';
    const errand: Errand = { signal: either, observer, isUrgent };
    const ask = async (batch: string[]): Promise<Float32Array[]> => {
      const vectors = await this.gate.run(() => this.embedBatch(batch, dimensions, errand), isUrgent, either);
      onMade?.(batch.length);
      return vectors;
    };
    try {
      const answers = await pMap(batches, ask, { concurrency: this.options.concurrency });
      return answers.flat();
    } catch (error) {
      failure.abort(error);
      throwIfAborted(signal);
      throw error;
    }
  }

  /**
   * Finds, by halving, the text that a batch is refused for, and then what the model takes of it: one text that is too
   * long must not fail the run. Its vector then stands for its beginning.
   */
  private async embedBatch(texts: string[], dimensions: number, errand: Errand): Promise<Float32Array[]> {
    try {
      const answer = await this.request(texts, errand);
      return answer.map((values) => toVector(values, dimensions, this.options.model));
    } catch (error) {
      const refusal = await this.refusalIn(error, dimensions, errand);
      if (refusal === null) throw error;
      const [text, ...others] = texts;
      if (text !== undefined && others.length === 0) {
        const shorter = shorten(text, this.maxInputTokens ?? UNKNOWN_LIMIT_TOKENS);
        if (shorter === undefined) throw await this.judgeRefusal(refusal, errand);
        const vectors = await this.embedBatch([shorter], dimensions, errand);
        this.tellShortening();
        return vectors;
      }
      const middle = Math.ceil(texts.length / 2);
      const head = await this.embedBatch(texts.slice(0, middle), dimensions, errand);
      return [...head, ...(await this.embedBatch(texts.slice(middle), dimensions, errand))];
    }
  }

  /**
   * The failure when it is the texts': refused, or failed at by a server that, asked right after for another text, makes
   * a usable vector. Some models make no numbers of some texts: zeros, no JSON, or 500 (ollama/ollama#13572).
   */
  private async refusalIn(error: unknown, dimensions: number, errand: Errand): Promise<RepotideError | null> {
    if (isInputRefusal(error)) return error;
    if (!isPerhapsOfInput(error)) return null;
    try {
      const [values] = await this.requestOnce(['probe'], this.askedDimensions, errand);
      toVector(values, dimensions, this.options.model);
      return error;
    } catch {
      throwIfAborted(errand.signal);
      return null;
    }
  }

  /** A server that takes another text has refused this one; one that takes none has refused its settings. */
  private async judgeRefusal(refusal: RepotideError, errand: Errand): Promise<RepotideError> {
    try {
      await this.request(['probe'], errand);
    } catch (error) {
      if (isInputRefusal(error)) return refusal;
      throw error;
    }
    const message = `One text is refused, and others are taken. ${refusal.message}`;
    return new RepotideError('invalid', 'embedding_text_refused', message, { details: refusal.details });
  }

  private async request(texts: string[], errand: Errand): Promise<unknown[]> {
    const asked = this.askedDimensions;
    try {
      const vectors = await this.requestRetrying(texts, asked, errand);
      this.isAskingAccepted = true;
      return vectors;
    } catch (error) {
      // A server that cannot shorten vectors refuses the mere question; its own length is checked by the caller.
      if (asked === undefined || this.isAskingAccepted || !isInputRefusal(error)) throw error;
      const vectors = await this.requestRetrying(texts, undefined, errand);
      this.askedDimensions = undefined;
      return vectors;
    }
  }

  private requestRetrying(
    texts: string[],
    dimensions: number | undefined,
    errand: Errand,
  ): Promise<unknown[]> {
    const attempt = () => this.requestOnce(texts, dimensions, errand);
    const { limiter, retry = DEFAULT_RETRY } = this.options;
    const pause = (ms: number) => limiter.pause(this.budget, ms);
    return withRetry(attempt, retry, { budget: this.retries, pause }, errand.signal);
  }

  private requestOnce(texts: string[], dimensions: number | undefined, errand: Errand): Promise<unknown[]> {
    return this.inTurn(errand, async (onAnswer) => {
      // With the first request: its client is hundreds of modules, which the built-in embedder does without.
      const { requestVectors } = await import('./openai-request.js');
      return requestVectors(texts, dimensions, this.server, errand.signal, onAnswer);
    });
  }

  private async inTurn<T>(
    { signal, observer, isUrgent }: Errand,
    work: (onAnswer: (headers: Headers) => void) => Promise<T>,
  ): Promise<T> {
    const slot = await this.takeSlot(signal, { observer, isUrgent });
    try {
      return await work((headers) => slot.answered(toldBy(headers)));
    } finally {
      slot.release();
    }
  }

  private async takeSlot(signal: AbortSignal, options: Omit<Errand, 'signal'>): Promise<HostSlot> {
    try {
      return await this.options.limiter.take(this.budget, signal, options);
    } catch (thrown) {
      if (!(thrown instanceof RepotideError) || thrown.code !== 'host_paused') throw thrown;
      throw quietAskedFor(this.server, thrown.retryAt);
    }
  }

  private describe(dimensions: number): EmbeddingModel {
    const id = `${this.options.model}@${dimensions}`;
    return Object.freeze({ id, dimensions, maxInputTokens: this.maxInputTokens });
  }

  private tellShortening(): void {
    if (this.isShorteningTold) return;
    this.isShorteningTold = true;
    const fields = { model: this.options.model, max_input_tokens: this.maxInputTokens };
    this.options.logger?.warn(
      fields,
      'Texts are longer than the model takes; lower CHUNK_SIZE to index all of them.',
    );
  }
}
