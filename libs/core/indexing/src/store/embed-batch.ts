import { tokensOf } from '@core/chunking';
import { RepotideError, TextsRefusedError, throwIfAborted } from '@core/domain';
import { failedFile, type PreparedFile } from './prepare-file.js';
import { type SyncRun } from '../run/sync-run.js';

/** A batch whose chunks have vectors, by content hash. */
export interface EmbeddedBatch {
  files: PreparedFile[];
  vectors: ReadonlyMap<string, Float32Array>;
}

/**
 * Finds or computes a vector for each distinct text of the batch. Omits files that the run's budget refuses. A text that
 * the model refuses fails only its own file.
 */
export async function embedBatch(run: SyncRun, batch: PreparedFile[]): Promise<EmbeddedBatch> {
  throwIfAborted(run.signal);
  const { embedder, embeddingCache } = run.ports;
  const hashes = new Set(batch.flatMap((file) => file.chunks).map((chunk) => chunk.contentHash));
  if (hashes.size === 0) return { files: batch, vectors: new Map() };

  const vectors = await embeddingCache.find(embedder.model.id, [...hashes]);
  const { files, missing } = affordable(run, batch, vectors);
  const showDone = run.work.embedding(files);
  let done = 0;
  const onDone = (texts: number): void => {
    done += texts;
    showDone(done / hashes.size);
    run.reportWork(files[0]?.row.path ?? null);
  };
  onDone(vectors.size);
  const { fresh, refusals } = await makeVectors(run, missing, onDone);
  if (fresh.size > 0) await embeddingCache.store(embedder.model.id, fresh);
  for (const [hash, vector] of fresh) vectors.set(hash, vector);

  const kept = files.map((file) => withoutRefused(run, file, refusals));
  const chunks = kept.reduce((sum, file) => sum + file.chunks.length, 0);
  run.request.counters.embeddingsRequested += fresh.size;
  run.request.counters.embeddingsReused += Math.max(0, chunks - fresh.size);
  return { files: kept, vectors };
}

/** The files that the budget admits, and their texts to embed, by content hash. A file that no run may embed fails. */
function affordable(
  run: SyncRun,
  batch: readonly PreparedFile[],
  known: ReadonlyMap<string, Float32Array>,
): { files: PreparedFile[]; missing: Map<string, string> } {
  const missing = new Map<string, string>();
  const files = batch.flatMap((file) => {
    const unknown = file.chunks.filter(
      ({ contentHash }) => !known.has(contentHash) && !missing.has(contentHash),
    );
    const texts = new Map(unknown.map(({ contentHash, text }) => [contentHash, text]));
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

interface MadeVectors {
  fresh: Map<string, Float32Array>;
  /** Why a text has no vector, by content hash. */
  refusals: Map<string, RepotideError>;
}

/** @param onDone receives the number of texts that are finished since the last call. */
async function makeVectors(
  run: SyncRun,
  textByHash: ReadonlyMap<string, string>,
  onDone: (texts: number) => void,
): Promise<MadeVectors> {
  const made: MadeVectors = { fresh: new Map(), refusals: new Map() };
  if (textByHash.size === 0) return made;
  let done = 0;
  const onMade = (texts: number): void => {
    done += texts;
    onDone(texts);
  };
  const results = await run.ports.embedder
    .embed([...textByHash.values()], 'document', run.signal, run.request.waits, onMade)
    .catch((thrown: unknown) => {
      throwIfAborted(run.signal);
      if (thrown instanceof TextsRefusedError) return thrown.results;
      throw thrown;
    });
  onMade(textByHash.size - done);
  for (const [index, hash] of [...textByHash.keys()].entries()) {
    const result = results[index]!;
    if (result instanceof RepotideError) made.refusals.set(hash, result);
    else made.fresh.set(hash, result);
  }
  return made;
}

function withoutRefused(
  run: SyncRun,
  file: PreparedFile,
  refusals: ReadonlyMap<string, RepotideError>,
): PreparedFile {
  const refused = file.chunks.find(({ contentHash }) => refusals.has(contentHash));
  if (refused === undefined) return file;
  const error = refusals.get(refused.contentHash)!;
  run.ports.logger.warn({ path: file.row.path, error_code: error.code }, 'file failed');
  return failFile(run, file, error);
}

function failFile(run: SyncRun, { row, former }: PreparedFile, error: RepotideError): PreparedFile {
  return failedFile(run, { entry: row, former }, error);
}
