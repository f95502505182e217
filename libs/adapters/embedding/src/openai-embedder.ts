import { createHash } from 'node:crypto';
import {
  type EmbeddedText,
  type Embedder,
  type EmbeddingModel,
  type EmbeddingPurpose,
  type HostLimiter,
  type Logger,
  modelChanged,
  type ModelRegistry,
  RepotideError,
  type SeenModel,
  throwIfAborted,
  toRepotideError,
  type WaitObserver,
} from '@core/domain';
import { tlsDispatcher } from '@platform/tls';
import pMap from 'p-map';
import { type Dispatcher } from 'undici';
import { type Caller, EmbeddingServer } from './embedding-server.js';
import { findKnownModel, type Prefixes, prefixesOf } from './known-models.js';
import { CANARY, identifyModel } from './model-identity.js';
import { isInputRefusal, isTooLong, maybeFaultOfText } from './openai-errors.js';
import { type RetryPolicy } from './retry.js';
import { TextLengths } from './text-lengths.js';
import { toBatches, toInput } from './vectors.js';

/** A search asks this often whether the server still runs the model of the index. */
const CONFIRM_QUERIES_MS = 600_000;

export interface OpenAiEmbedderOptions {
  /** Base URL up to where `/embeddings` follows, e.g. `https://api.openai.com/v1`. */
  url: string;
  model: string;
  apiKey?: string;
  /** `EMBEDDING_TLS_DIR`: requests use TLS with its certificates. */
  tlsDir?: string;
  /** Vector length; default: the known model's, otherwise found by {@link OpenAiEmbedder.open}. */
  dimensions?: number;
  /** Default: the known model's, otherwise none. */
  maxInputTokens?: number;
  /** Whether to begin texts with the words that the model was trained with. Default: yes. */
  usesPrefixes?: boolean;
  /** Only this model will do: `EmbeddingModel.id`. Default: any that has the name. */
  modelId?: string;
  /** Texts in one request. */
  batchSize: number;
  /** Parallel requests of this process. */
  concurrency: number;
  /** Time limit of one request. */
  timeoutSeconds: number;
  /** Keeps all processes within the server's rate limit. */
  limiter: HostLimiter;
  registry: ModelRegistry;
  logger: Logger;
  retry?: RetryPolicy;
}

function openDispatcher({ tlsDir, logger }: OpenAiEmbedderOptions): Dispatcher | undefined {
  const warn = (detail: string) => logger.warn({ detail }, 'certificates of EMBEDDING_TLS_DIR');
  return tlsDir === undefined ? undefined : tlsDispatcher(tlsDir, warn);
}

const NO_PREFIXES: Prefixes = { query: '', document: '' };

/** Gets vectors from any server with OpenAI's `/embeddings`. The constructor sends no request. */
export class OpenAiEmbedder implements Embedder {
  readonly capacity: Embedder['capacity'];
  private readonly server: EmbeddingServer;
  private readonly prefixes: Prefixes;
  /** Of the model in the registry: the configured one, and its prefixes. */
  private readonly name: string;
  private readonly maxInputTokens: number | null;
  /** The length that the vectors must have; null: what the model makes. */
  private readonly dimensions: number | null;
  private known: EmbeddingModel | undefined;
  private confirmedAtMs: number | undefined;
  private identifying: Promise<boolean> | undefined;
  private readonly lengths: TextLengths;

  constructor(private readonly options: OpenAiEmbedderOptions) {
    const { url, model, apiKey, timeoutSeconds, concurrency, limiter, retry } = options;
    const facts = findKnownModel(model);
    const requestedDimensions = options.dimensions === facts?.dimensions ? undefined : options.dimensions;
    const access = {
      url,
      model,
      apiKey,
      timeoutMs: timeoutSeconds * 1000,
      dispatcher: openDispatcher(options),
    };
    this.server = new EmbeddingServer({ ...access, concurrency, limiter, retry, requestedDimensions });
    this.capacity = { requests: concurrency, texts: options.batchSize };
    this.prefixes = options.usesPrefixes === false ? NO_PREFIXES : prefixesOf(model);
    this.name = JSON.stringify([model, this.prefixes.query, this.prefixes.document]);
    this.maxInputTokens = options.maxInputTokens ?? facts?.maxInputTokens ?? null;
    this.dimensions = options.dimensions ?? facts?.dimensions ?? null;
    const { registry, logger } = options;
    this.lengths = new TextLengths({
      url,
      name: this.name,
      maxInputTokens: this.maxInputTokens,
      server: this.server,
      registry,
      logger,
    });
    if (this.dimensions !== null) this.become(options.modelId ?? this.idOf(this.dimensions), this.dimensions);
  }

  /** @throws temporary `embedding_unavailable` before {@link open}, while the vector length is neither set nor known. */
  get model(): EmbeddingModel {
    if (this.known !== undefined) return this.known;
    const message = `The vector length of the model ${this.options.model} is not known: the embedding server at ${this.options.url} has not answered yet. Set EMBEDDING_DIMENSIONS to start without its answer.`;
    throw new RepotideError('temporary', 'embedding_unavailable', message);
  }

  /**
   * Takes the model that any process last saw on the server. Sends a request only when no process has seen one and the
   * vector length is not known.
   */
  async open(signal: AbortSignal): Promise<void> {
    const { modelId, registry, url } = this.options;
    const seen = (await registry.list(this.name)).filter(
      ({ dimensions, id }) => dimensions === (this.dimensions ?? dimensions) && id === (modelId ?? id),
    );
    const last = seen.find(({ server }) => server === url) ?? seen[0];
    if (last !== undefined) this.become(last.id, last.dimensions);
    else if (this.known === undefined) await this.sendCanary({ signal, isUrgent: true });
  }

  /** Runs that start together share one request. */
  identify(signal: AbortSignal): Promise<boolean> {
    if (this.confirmedAtMs !== undefined) return Promise.resolve(false);
    return (this.identifying ??= this.tryToIdentify(signal).finally(() => (this.identifying = undefined)));
  }

  private async tryToIdentify(signal: AbortSignal): Promise<boolean> {
    try {
      await this.sendCanary({ signal, isUrgent: false, isOnce: true });
      return true;
    } catch (thrown) {
      throwIfAborted(signal);
      const { code: error_code, message: error } = toRepotideError(thrown);
      this.options.logger.warn({ error_code, error }, 'the embedding server did not identify its model');
      return false;
    }
  }

  async confirm(signal: AbortSignal, observer?: WaitObserver): Promise<void> {
    await this.confirmFor({ signal, observer, isUrgent: false });
  }

  async embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    observer?: WaitObserver,
  ): Promise<EmbeddedText[]> {
    throwIfAborted(signal);
    if (texts.length === 0) return [];
    // Stops the other batches when one fails.
    const failure = new AbortController();
    const either = AbortSignal.any([signal, failure.signal]);
    const caller: Caller = { signal: either, observer, isUrgent: purpose === 'query' };
    if (this.needsConfirmation(purpose)) await this.confirmFor(caller);
    const prefix = this.prefixes[purpose];
    const inputs = texts.map((text) => prefix + toInput(text));
    const { requests: concurrency, texts: batchSize } = this.capacity;
    const batches = toBatches(inputs, batchSize, this.lengths.maxBatchBytes);
    try {
      const results = await pMap(batches, (batch) => this.embedBatch(batch, caller), { concurrency });
      // The answers may be those of another model that was started meanwhile.
      if (this.server.hasLostContact) await this.confirmFor(caller);
      return results.flat();
    } catch (error) {
      failure.abort(error);
      throwIfAborted(signal);
      throw error;
    }
  }

  async longestChunk(characters: number, signal: AbortSignal | null): Promise<number> {
    // A server that did not answer just now will hardly answer a probe.
    const mayProbe = signal !== null && this.confirmedAtMs !== undefined;
    return this.lengths.longestChunk(characters, this.model, mayProbe ? signal : null);
  }

  private needsConfirmation(purpose: EmbeddingPurpose): boolean {
    if (purpose === 'document') return this.confirmedAtMs === undefined;
    return performance.now() - (this.confirmedAtMs ?? -Infinity) > CONFIRM_QUERIES_MS;
  }

  private async confirmFor(caller: Caller): Promise<void> {
    const former = this.known?.id;
    const { id } = await this.sendCanary(caller);
    if (former !== undefined && id !== former) throw modelChanged(former, id);
  }

  /** Sends the canary, and becomes the model that answers. @throws temporary `embedding_model_changed`. */
  private async sendCanary(caller: Caller): Promise<SeenModel> {
    const { registry, url, modelId, logger } = this.options;
    const { vectors } = await this.server.request([CANARY], this.dimensions, caller);
    const canary = vectors[0]!;
    const dimensions = canary.length;
    const sighting = { name: this.name, dimensions, server: url, canary };
    const seen = await identifyModel(registry, this.idOf(dimensions), sighting);
    if (modelId !== undefined && seen.id !== modelId) throw modelChanged(modelId, seen.id);
    this.server.hasLostContact = false;
    this.confirmedAtMs = performance.now();
    if (this.known !== undefined && this.known.id !== seen.id) {
      const facts = { former_model: this.known.id, model: seen.id, server: url };
      logger.warn(facts, 'the embedding server runs another model under the same name');
      this.lengths.forget();
    }
    this.become(seen.id, dimensions);
    return seen;
  }

  private become(id: string, dimensions: number): void {
    this.known = Object.freeze({ id, dimensions, maxInputTokens: this.maxInputTokens });
  }

  /** Another prefix gives other vectors, so it is part of the id. */
  private idOf(dimensions: number): string {
    const { query, document } = this.prefixes;
    const id = `${this.options.model}@${dimensions}`;
    if (query + document === '') return id;
    return `${id}+${createHash('sha256').update(`${query}\0${document}`).digest('hex').slice(0, 6)}`;
  }

  /**
   * The results of one request. When it fails because of its texts, halves find which one, and the others keep their
   * vectors.
   * @param isServerWell known because the server has just embedded the canary.
   */
  private async embedBatch(texts: string[], caller: Caller, isServerWell = false): Promise<EmbeddedText[]> {
    let error: unknown;
    try {
      this.lengths.assertFit(texts);
      const answer = await this.server.request(texts, this.model.dimensions, caller);
      await this.lengths.assertWhole(texts, answer.promptTokens, this.model, caller);
      return answer.vectors;
    } catch (thrown) {
      error = thrown;
    }
    if (!isTooLong(error)) {
      throwIfAborted(caller.signal);
      if (!maybeFaultOfText(error)) throw error;
      const isChecked = isServerWell || (isInputRefusal(error) && texts.length > 1);
      if (!isChecked) await this.assertWell(error, caller);
      isServerWell ||= !isChecked;
    }
    if (texts.length === 1) return [isTooLong(error) ? error : faultOf(error)];
    const middle = Math.ceil(texts.length / 2);
    const head = await this.embedBatch(texts.slice(0, middle), caller, isServerWell);
    return [...head, ...(await this.embedBatch(texts.slice(middle), caller, isServerWell))];
  }

  /** @throws the error when the server fails with another text too: then it is in trouble, or its settings are wrong. */
  private async assertWell(error: RepotideError, caller: Caller): Promise<void> {
    try {
      await this.confirmFor(caller);
    } catch (other) {
      throwIfAborted(caller.signal);
      throw other instanceof RepotideError && other.code === 'embedding_model_changed' ? other : error;
    }
  }
}

function faultOf(error: RepotideError): RepotideError {
  const { details, message } = error;
  if (isInputRefusal(error)) {
    const found = `The model refuses this text and accepts others. ${message}`;
    return new RepotideError('invalid', 'embedding_text_refused', found, { details });
  }
  const found = `The embedding server fails on this text and not on others; the next run tries again. ${message}`;
  return new RepotideError('temporary', 'embedding_text_failed', found, { details });
}
