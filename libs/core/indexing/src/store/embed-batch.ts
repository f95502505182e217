import { tokensOf } from '@core/chunking';
import { RepotideError, throwIfAborted, toRepotideError } from '@core/domain';
import { failedFile, type PreparedFile } from './prepare-file.js';
import { type SyncRun } from '../run/sync-run.js';

/** A batch whose chunks have vectors, by content hash. */
export interface EmbeddedBatch {
  files: PreparedFile[];
  vectors: ReadonlyMap<string, Float32Array>;
}

/**
 * Finds or makes a vector for each distinct text of the batch; leaves out files that the run's budget refuses. A text
 * that the model refuses fails its file alone.
 */
export async function embedBatch(run: SyncRun, batch: PreparedFile[]): Promise<EmbeddedBatch> {
  throwIfAborted(run.signal);
  const { embedder, embeddingCache } = run.ports;
  const hashes = new Set(batch.flatMap((file) => file.chunks).map((chunk) => chunk.contentHash));
  if (hashes.size === 0) return { files: batch, vectors: new Map() };

  const vectors = await embeddingCache.find(embedder.model.id, [...hashes]);
  const { files, missing } = affordable(run, batch, vectors);
  const tell = tellShare(run, files, hashes.size);
  tell(vectors.size);
  const { fresh, refusals } = await makeVectors(run, missing, tell);
  if (fresh.size > 0) await embeddingCache.store(embedder.model.id, fresh);
  for (const [hash, vector] of fresh) vectors.set(hash, vector);

  const taken = files.map((file) => withoutRefused(run, file, refusals));
  const allChunks = taken.reduce((sum, file) => sum + file.chunks.length, 0);
  run.request.counters.embeddingsRequested += fresh.size;
  run.request.counters.embeddingsReused += Math.max(0, allChunks - fresh.size);
  return { files: taken, vectors };
}

/**
 * The files that the budget allows, and the texts by content hash that must be embedded for them. What fits into no run
 * fails by itself.
 */
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
    const admission = run.budget.admit(file.row.path, tokens);
    if (admission === 'later') return [];
    if (admission === 'never') return [unfitFile(run, file, tokens)];
    for (const [hash, text] of texts) missing.set(hash, text);
    return [file];
  });
  return { files, missing };
}

function unfitFile(run: SyncRun, { row, former }: PreparedFile, tokens: number): PreparedFile {
  const message = run.budget.unfitMessage({ path: row.path, tokens });
  return failedFile(run, { entry: row, former }, new RepotideError('invalid', 'embedding_budget', message));
}

/** @returns counts texts that are settled since the last call; fewer than none when they must be asked for again. */
function tellShare(run: SyncRun, files: readonly PreparedFile[], texts: number): (settled: number) => void {
  const show = run.work.embedding(files);
  let all = 0;
  return (settled) => {
    all += settled;
    show(all / texts);
    run.reportWork(files[0]?.row.path ?? null);
  };
}

interface MadeVectors {
  fresh: Map<string, Float32Array>;
  /** Why there is no vector, by content hash. */
  refusals: Map<string, RepotideError>;
}

/** One request where it can be; when one text is refused, by halves until that text stands alone. */
async function makeVectors(
  run: SyncRun,
  textByHash: ReadonlyMap<string, string>,
  tell: (settled: number) => void,
): Promise<MadeVectors> {
  if (textByHash.size === 0) return { fresh: new Map(), refusals: new Map() };
  const hashes = [...textByHash.keys()];
  let told = 0;
  const onMade = (texts: number) => {
    told += texts;
    tell(texts);
  };
  try {
    const { embedder } = run.ports;
    const texts = [...textByHash.values()];
    const made = await embedder.embed(texts, 'document', run.signal, run.request.waits, onMade);
    onMade(hashes.length - told);
    return { fresh: new Map(hashes.map((hash, index) => [hash, made[index]!])), refusals: new Map() };
  } catch (thrown) {
    throwIfAborted(run.signal);
    const error = toRepotideError(thrown);
    if (error.code !== 'embedding_text_refused') throw error;
    onMade(-told);
    if (textByHash.size > 1) return makeByHalves(run, [...textByHash], tell);
    tell(1);
    return { fresh: new Map(), refusals: new Map([[hashes[0]!, error]]) };
  }
}

async function makeByHalves(
  run: SyncRun,
  texts: readonly [string, string][],
  tell: (settled: number) => void,
): Promise<MadeVectors> {
  const middle = Math.ceil(texts.length / 2);
  const first = await makeVectors(run, new Map(texts.slice(0, middle)), tell);
  const second = await makeVectors(run, new Map(texts.slice(middle)), tell);
  return {
    fresh: new Map([...first.fresh, ...second.fresh]),
    refusals: new Map([...first.refusals, ...second.refusals]),
  };
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
  return failedFile(run, { entry: file.row, former: file.former }, error);
}
