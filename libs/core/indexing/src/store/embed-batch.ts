import { createChunker, fittingSettings, MIN_CHUNK_SIZE, tokensOf } from '@core/chunking';
import {
  Gate,
  groupsOf,
  modelChanged,
  RepotideError,
  throwIfAborted,
  type Chunk,
  type EmbeddedText,
  type PreparedChunk,
} from '@core/domain';
import { termsOf } from '@core/search';
import { embedOnce } from './embed-once.js';
import { failedFile, type PreparedFile } from './prepare-file.js';
import { type SyncRun } from '../run/sync-run.js';

/** A batch whose chunks have vectors, by content hash. */
export interface EmbeddedBatch {
  files: PreparedFile[];
  vectors: ReadonlyMap<string, Float32Array>;
}

/** By content hash. */
type Results = Map<string, EmbeddedText | Promise<EmbeddedText>>;

/** What a killed run may lose: this share of its texts, but not less than the number below. */
const SHARE_IN_FLIGHT = 1 / 100;
const MIN_TEXTS_IN_FLIGHT = 4;
/** While the server works on one, the next one is on its way. More requests cost more than they bring, unless each is full. */
const MIN_REQUESTS = 2;
/** How often a batch shows what is embedded: each time costs as much as the batch has files. */
const PROGRESS_STEPS = 10;

/**
 * Finds or computes the vectors of a run's texts. Each request's vectors are in the cache before the next request, and few
 * texts are in flight at once: that is all that a killed run repeats.
 */
export class TextEmbedder {
  /** The requested texts of the batches that are being embedded, by content hash, so that none is requested twice. */
  private readonly inFlight = new Map<string, Promise<EmbeddedText>>();
  private readonly lookups = new Gate(1);
  private readonly requests: Gate;
  private readonly parallel: number;
  /** The batches so far show how many texts a file has. */
  private readonly seen = { files: 0, chunks: 0 };

  /**
   * @param files of the run.
   * @param signal fires when the run ends early, also because another batch failed.
   */
  constructor(
    private readonly run: SyncRun,
    private readonly files: number,
    private readonly signal: AbortSignal,
  ) {
    const { requests, texts } = run.ports.embedder.capacity;
    this.parallel = Math.min(requests, Math.max(MIN_REQUESTS, Math.floor((files * SHARE_IN_FLIGHT) / texts)));
    this.requests = new Gate(this.parallel);
  }

  /** Each request costs as much as several texts, so they are as full as the share in flight allows. */
  private get textsPerRequest(): number {
    const { files, chunks } = this.seen;
    const inFlight = Math.max(MIN_TEXTS_IN_FLIGHT, this.files * SHARE_IN_FLIGHT * (chunks / files));
    const share = Math.max(1, Math.floor(inFlight / this.parallel));
    return Math.min(share, this.run.ports.embedder.capacity.texts);
  }

  /**
   * Omits files that the run's budget refuses. Splits a chunk that is too long for the model; any other failure of a text
   * fails its file.
   */
  async embedBatch(batch: PreparedFile[]): Promise<EmbeddedBatch> {
    const { run } = this;
    throwIfAborted(this.signal);
    this.seen.files += batch.length;
    this.seen.chunks += batch.reduce((sum, file) => sum + file.chunks.length, 0);
    const begin = async () => {
      const results = await this.known(batch.flatMap((file) => file.chunks));
      const { files, missing } = affordable(run, batch, results);
      return { files, results, requested: this.request(missing, results) };
    };
    // One batch after the other, so that the second sees the texts that the first requests.
    let { files, results, requested } = await this.lookups.run(begin, false, this.signal);
    this.showProgress(files, results);
    const found = await this.settle(results);
    for (;;) {
      const whole = this.splitLongChunks(files, found);
      if (whole === files) break;
      files = whole;
      const chunks = files.flatMap((file) => file.chunks);
      const parts = chunks.filter(({ contentHash }) => !found.has(contentHash));
      results = await this.known(parts);
      requested += this.request(textsOf(parts, results), results);
      for (const [hash, result] of await this.settle(results)) found.set(hash, result);
    }
    const kept = files.map((file) => withoutFailed(run, file, found));
    const chunks = kept.reduce((sum, file) => sum + file.chunks.length, 0);
    run.request.counters.embeddingsReused += Math.max(0, chunks - requested);
    return { files: kept, vectors: vectorsIn(found) };
  }

  /** Those of the texts that have a vector or are requested. */
  private async known(chunks: readonly Chunk[]): Promise<Results> {
    const results: Results = new Map();
    const others = new Set<string>();
    for (const { contentHash } of chunks) {
      const requested = this.inFlight.get(contentHash);
      if (requested === undefined) others.add(contentHash);
      else results.set(contentHash, requested);
    }
    if (others.size === 0) return results;
    const cached = await this.run.ports.embeddingCache.find(this.run.modelId, [...others]);
    for (const [hash, vector] of cached) results.set(hash, vector);
    return results;
  }

  /** Adds the promised results. @returns the number of texts. */
  private request(texts: ReadonlyMap<string, string>, results: Results): number {
    for (const group of groupsOf([...texts], this.textsPerRequest)) {
      const made = this.requests.run(() => this.embed(group), false, this.signal);
      for (const [index, [hash]] of group.entries()) {
        const result = made.then((all) => all[index]!);
        // The run fails where it waits for the result; without this, a batch that is never awaited would end the process.
        result.catch(() => undefined);
        this.inFlight.set(hash, result);
        results.set(hash, result);
      }
    }
    return texts.size;
  }

  private async embed(group: readonly (readonly [string, string])[]): Promise<EmbeddedText[]> {
    const { run, signal } = this;
    const { embedder, embeddingCache } = run.ports;
    throwIfAborted(signal);
    await run.confirmModel();
    const cached = { cache: embeddingCache, modelId: run.modelId, signal };
    let sent = 0;
    const results = await embedOnce(cached, new Map(group), async (texts) => {
      sent += texts.size;
      const embedded = await embedder.embed([...texts.values()], 'document', signal, run.request.waits);
      // Another run may have noticed that the server runs another model; this run still writes the former's index.
      if (embedder.model.id !== run.modelId) throw modelChanged(run.modelId, embedder.model.id);
      const fresh = vectorsIn([...texts.keys()].map((hash, index) => [hash, embedded[index]!] as const));
      if (fresh.size > 0) await embeddingCache.store(run.modelId, fresh);
      run.request.counters.embeddingsRequested += fresh.size;
      return embedded;
    });
    run.request.counters.embeddingsReused += group.length - sent;
    return group.map(([hash]) => results.get(hash)!);
  }

  private async settle(results: Results): Promise<Map<string, EmbeddedText>> {
    const settled = await Promise.all(
      [...results].map(async ([hash, result]) => [hash, await result] as const),
    );
    for (const hash of results.keys()) this.inFlight.delete(hash);
    return new Map(settled);
  }

  private showProgress(files: readonly PreparedFile[], results: Results): void {
    const show = this.run.work.embedding(files);
    const step = Math.ceil(results.size / PROGRESS_STEPS);
    let done = 0;
    const onDone = (): void => {
      done++;
      if (done % step !== 0 && done < results.size) return;
      show(done / results.size);
      this.run.reportWork(files[0]?.row.path ?? null);
    };
    for (const result of results.values()) {
      if (result instanceof Promise) result.then(onDone, () => undefined);
      else done++;
    }
    if (done > 0) {
      done--;
      onDone();
    }
  }

  /** The same list when no chunk is too long. */
  private splitLongChunks(files: PreparedFile[], results: ReadonlyMap<string, EmbeddedText>): PreparedFile[] {
    const isLong = ({ contentHash, text }: Chunk): boolean => {
      const result = results.get(contentHash);
      return text.length > MIN_CHUNK_SIZE && result instanceof RepotideError && result.code === TOO_LONG;
    };
    if (!files.some(({ chunks }) => chunks.some(isLong))) return files;
    return files.map((file) => {
      if (!file.chunks.some(isLong)) return file;
      const parts = file.chunks.flatMap((chunk) =>
        isLong(chunk) ? this.splitChunk(chunk, file.row.path) : [chunk],
      );
      const chunks = parts.map((part, index) => ({ ...part, index }));
      return { ...file, chunks, row: { ...file.row, chunkCount: chunks.length } };
    });
  }

  /** Halves give equal parts in every run; the overlap shrinks with them. */
  private splitChunk(chunk: PreparedChunk, path: string): PreparedChunk[] {
    const size = Math.ceil(chunk.text.length / 2);
    const parts = createChunker(fittingSettings(this.run.chunking, size)).split(chunk.text, path);
    const { startLine, endLine } = chunk;
    // The text of a notebook's cells has other lines than its file: then each part is where the chunk was.
    const isText = chunk.text.split('\n').length === endLine - startLine + 1;
    const linesOf = (part: Chunk) =>
      isText
        ? { startLine: startLine + part.startLine - 1, endLine: startLine + part.endLine - 1 }
        : { startLine, endLine };
    return parts.map((part) => ({ ...part, ...linesOf(part), terms: termsOf({ path, text: part.text }) }));
  }
}

const TOO_LONG = 'embedding_text_too_long';

/** The texts of the chunks that are not known, by content hash. */
function textsOf(chunks: readonly Chunk[], ...known: { has(contentHash: string): boolean }[]) {
  const missing = chunks.filter(({ contentHash }) => !known.some((hashes) => hashes.has(contentHash)));
  return new Map(missing.map(({ contentHash, text }) => [contentHash, text]));
}

function vectorsIn(results: Iterable<readonly [string, EmbeddedText]>): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>();
  for (const [hash, result] of results) if (result instanceof Float32Array) vectors.set(hash, result);
  return vectors;
}

/** The files that the budget admits, and their texts to embed, by content hash. A file that no run may embed fails. */
function affordable(
  run: SyncRun,
  batch: readonly PreparedFile[],
  known: { has(contentHash: string): boolean },
): { files: PreparedFile[]; missing: Map<string, string> } {
  const missing = new Map<string, string>();
  const files = batch.flatMap((file) => {
    const texts = textsOf(file.chunks, known, missing);
    const tokens = [...texts.values()].reduce((sum, text) => sum + tokensOf(text.length), 0);
    const { path } = file.row;
    const admission = run.budget.admit(path, tokens);
    if (admission === 'later') return [];
    if (admission === 'never') {
      const message = run.budget.unfitMessage({ path, tokens });
      return [failFile(run, file, new RepotideError('invalid', 'embedding_budget', message))];
    }
    for (const [hash, text] of texts) missing.set(hash, text);
    return [file];
  });
  return { files, missing };
}

function withoutFailed(
  run: SyncRun,
  file: PreparedFile,
  results: ReadonlyMap<string, EmbeddedText>,
): PreparedFile {
  for (const { contentHash } of file.chunks) {
    const error = results.get(contentHash);
    if (!(error instanceof RepotideError)) continue;
    run.ports.logger.warn({ path: file.row.path, error_code: error.code }, 'file failed');
    return failFile(run, file, error);
  }
  return file;
}

function failFile(run: SyncRun, { row, former }: PreparedFile, error: RepotideError): PreparedFile {
  return failedFile(run, { entry: row, former }, error);
}
