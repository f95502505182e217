import {
  type ChunkLimit,
  type EmbeddingModel,
  type Logger,
  type ModelRegistry,
  RepotideError,
} from '@core/domain';
import pMap from 'p-map';
import { charactersOf, estimateTokens, probeChunks } from './chunk-probe.js';
import { type Caller, type EmbeddingServer } from './embedding-server.js';
import { textCut } from './openai-errors.js';
import { toInput } from './vectors.js';

/** OpenAI accepts 300,000 tokens per request: half a mebibyte at two bytes a token, and only random text has fewer. */
const MAX_BATCH_BYTES = 512 * 1024;

/** Only source text with fewer tokens than one per so many visible characters is checked for a cut: there is hardly any. */
const FEW_TOKENS = 8;

interface TextLengthsOptions {
  server: EmbeddingServer;
  url: string;
  /** The model's name in the registry. */
  name: string;
  maxInputTokens: number | null;
  registry: ModelRegistry;
  logger: Logger;
}

/** The text lengths that a server embeds whole: found by probes, checked on each answer. */
export class TextLengths {
  /** By the requested length of chunks. */
  private readonly limits = new Map<number, ChunkLimit>();
  private fewTokens = FEW_TOKENS;

  constructor(private readonly options: TextLengthsOptions) {}

  /** For another model under the same name. */
  forget(): void {
    this.limits.clear();
  }

  /** A server that cuts counts the tokens of a whole request: it gets one text at a time, if that may be too long. */
  get maxBatchBytes(): number {
    return Math.min(MAX_BATCH_BYTES, ...this.found('cutTokens'));
  }

  /** @param signal of the probe; null: without a probe. */
  async longestChunk(characters: number, model: EmbeddingModel, signal: AbortSignal | null): Promise<number> {
    const longest = Math.min(characters, charactersOf(this.options.maxInputTokens ?? Infinity));
    const known = this.limits.get(longest) ?? (await this.recall(longest, model));
    if (known !== undefined) return known.characters;
    if (signal === null) return longest;
    const { registry, server, logger } = this.options;
    const caller: Caller = { signal, isUrgent: false };
    const limit = await probeChunks(longest, (texts) => server.request(texts, model.dimensions, caller));
    this.limits.set(longest, limit);
    await registry.update(model.id, { limits: Object.fromEntries(this.limits) });
    if (limit.characters < characters) {
      const facts = { model: model.id, chunk_size: characters, used_chunk_size: limit.characters };
      const cuts = limit.cutTokens === null ? {} : { cuts_to_tokens: limit.cutTokens };
      logger.warn(
        { ...facts, ...cuts },
        'chunks are smaller than CHUNK_SIZE, so that the model takes them whole',
      );
    }
    return limit.characters;
  }

  /** @throws invalid `embedding_text_too_long` for a text that the server would certainly cut. */
  assertFit(texts: readonly string[]): void {
    const tokens = Math.max(...texts.map(estimateTokens));
    const proven = Math.max(...this.found('provenTokens'));
    if (proven > 0 && tokens > proven) throw textCut(tokens, proven);
  }

  /**
   * Notices a server that began to cut: it counts far fewer tokens than source text has, and two halves of a text have
   * more tokens than the whole.
   * @param tokens as counted by the server; null when it does not count.
   * @throws invalid `embedding_text_too_long` for a text that was cut.
   * @throws temporary `embedding_text_cut`; the next run probes the server again.
   */
  async assertWhole(
    texts: readonly string[],
    tokens: number | null,
    model: EmbeddingModel,
    caller: Caller,
  ): Promise<void> {
    if (tokens === null) return;
    const cutTokens = Math.min(...this.found('cutTokens'));
    if (texts.length === 1 && tokens >= cutTokens) throw textCut(tokens, cutTokens);
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    // Almost always: the visible ones, which take longer to count, are fewer.
    if (characters <= tokens * this.fewTokens) return;
    const visible = texts.reduce((sum, text) => sum + text.replace(/\s/g, '').length, 0);
    if (visible <= tokens * this.fewTokens) return;
    const longest = texts.reduce((one, other) => (other.length > one.length ? other : one));
    const { whole, halves } = await this.countHalves(longest, model, caller);
    // Two halves have a few more tokens than the whole: where a word was cut, and at both ends.
    if (whole >= 0.75 * halves - 8) {
      this.fewTokens = Math.max(this.fewTokens, (2 * visible) / tokens);
      return;
    }
    this.forget();
    const { registry, url } = this.options;
    await registry.update(model.id, { limits: {} });
    const message = `The embedding server at ${url} embeds only the beginning of long texts: it counted ${whole} tokens for a text, and ${halves} for its halves. The next run finds the length that it embeds whole.`;
    throw new RepotideError('temporary', 'embedding_text_cut', message);
  }

  /** Tokens of a text, and the sum of its halves', as the server counts them. */
  private async countHalves(
    text: string,
    { dimensions }: EmbeddingModel,
    caller: Caller,
  ): Promise<{ whole: number; halves: number }> {
    const half = Math.ceil(text.length / 2);
    const [whole, head, tail] = await pMap(
      [text, text.slice(0, half), text.slice(half)],
      async (part) =>
        (await this.options.server.request([toInput(part)], dimensions, caller)).promptTokens ?? 0,
      { concurrency: 1 },
    );
    return { whole: whole!, halves: head! + tail! };
  }

  private async recall(length: number, model: EmbeddingModel): Promise<ChunkLimit | undefined> {
    const seen = await this.options.registry.list(this.options.name);
    const limits = seen.find(({ id }) => id === model.id)?.limits ?? {};
    for (const [characters, limit] of Object.entries(limits)) this.limits.set(Number(characters), limit);
    return this.limits.get(length);
  }

  private found(limit: 'cutTokens' | 'provenTokens'): number[] {
    return [...this.limits.values()].flatMap((limits) => limits[limit] ?? []);
  }
}
