import {
  addCounters,
  countersOf,
  throwIfAborted,
  type ManifestEntry,
  type Point,
  type PreparedChunk,
  type RunCounter,
  type RunCounters,
} from '@core/domain';
import { type EmbeddedBatch } from './embed-batch.js';
import { directoriesOf, fileVersionOf, pointId } from '../run/identity.js';
import { type PreparedFile } from './prepare-file.js';
import { type SyncLimits, type SyncRun } from '../run/sync-run.js';

/** Groups files in batches of at most so many chunks, counted with the last file, and files. */
export async function* inBatches<File>(
  files: Iterable<File> | AsyncIterable<File>,
  chunksOf: (file: File) => number,
  { batchChunks, batchFiles }: SyncLimits,
): AsyncGenerator<File[]> {
  let batch: File[] = [];
  let chunks = 0;
  for await (const file of files) {
    batch.push(file);
    chunks += chunksOf(file);
    if (chunks < batchChunks && batch.length < batchFiles) continue;
    yield batch;
    batch = [];
    chunks = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Stores new points, removes those of former versions, then commits the rows: a crash in between repeats work. */
export async function storeBatch(run: SyncRun, { files, vectors }: EmbeddedBatch): Promise<void> {
  throwIfAborted(run.signal);
  if (files.length === 0) return;
  const points = files.flatMap(({ row, chunks }) =>
    chunks.map((chunk) => toPoint(run, row, chunk, vectors.get(chunk.contentHash)!)),
  );
  if (points.length > 0) await run.ports.vectorStore.upsert(run.collection, points, run.signal);
  run.work.stored(points.length);
  run.reportWork(files.at(-1)?.row.path ?? null);
  await commitFiles(run, files, points.length);
}

/** Removes the points of former versions and commits the manifest rows with the counters. */
export async function commitFiles(
  run: SyncRun,
  files: readonly PreparedFile[],
  newPoints: number,
): Promise<void> {
  throwIfAborted(run.signal);
  const outdated = files.filter(replacesPoints).map(({ row }) => ({
    path: row.path,
    ...(row.indexedAt ? { keepVersion: fileVersionOf(row.blobSha, row.fingerprint) } : {}),
  }));
  await deletePoints(run, outdated);
  const upserts = files.map((file) => file.row);
  await commitRows(run, { upserts }, { ...countsOf(files), chunksUpserted: newPoints });
  const paths = files.map((file) => file.row.path);
  run.work.done(paths);
  run.reportWork(paths.at(-1) ?? null);
  run.budget.recordStored();
}

/** Removes the points of files, except those of each file's `keepVersion`, and counts them. */
export async function deletePoints(
  run: SyncRun,
  files: readonly { path: string; keepVersion?: string }[],
): Promise<void> {
  if (files.length === 0) return;
  const { collection, repository, signal, ports, request } = run;
  const deleted = await ports.vectorStore.deleteFiles(collection, repository.id, files, signal);
  // Not in one line, which would read the counter before the wait: another batch counts too.
  request.counters.chunksDeleted += deleted;
}

/** Rows and counts in one transaction: after a crash, work that is repeated is counted once. */
export async function commitRows(
  run: SyncRun,
  { upserts = [], deletes = [] }: { upserts?: readonly ManifestEntry[]; deletes?: readonly string[] },
  counts: Partial<RunCounters> = {},
): Promise<void> {
  // One after the other, so that each stores the counts of those before it.
  await run.commits.run(
    async () => {
      const counters = addCounters(countersOf(run.counters), counts);
      await run.ports.manifest.commitBatch(run.identity, { upserts, deletes }, counters);
      addCounters(run.request.counters, counts);
    },
    false,
    run.signal,
  );
}

function replacesPoints({ former, row }: PreparedFile): boolean {
  if (!former?.indexedAt || row.lastError !== null) return false;
  if (!row.indexedAt) return true;
  return fileVersionOf(former.blobSha, former.fingerprint) !== fileVersionOf(row.blobSha, row.fingerprint);
}

function countsOf(files: readonly PreparedFile[]): Partial<RunCounters> {
  const counts: Partial<RunCounters> = { filesProcessed: files.length };
  for (const file of files) {
    const name = counterOf(file);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function counterOf({ change, row }: PreparedFile): RunCounter {
  if (row.lastError !== null) return 'filesFailed';
  if (row.skipReason !== null) return 'filesSkipped';
  return ({ added: 'filesAdded', modified: 'filesModified', renamed: 'filesRenamed' } as const)[change];
}

function toPoint(run: SyncRun, row: ManifestEntry, chunk: PreparedChunk, vector: Float32Array): Point {
  const { repository } = run;
  const version = fileVersionOf(row.blobSha, row.fingerprint);
  return {
    id: pointId(repository.id, row.path, version, chunk.index),
    vector,
    terms: chunk.terms,
    payload: {
      repository_id: repository.id,
      project_path: run.projectPath,
      branch: repository.branch,
      path: row.path,
      directories: directoriesOf(row.path),
      language: row.language,
      chunk_index: chunk.index,
      start_line: chunk.startLine,
      end_line: chunk.endLine,
      blob_sha: row.blobSha,
      file_version: version,
      content_hash: chunk.contentHash,
      commit: run.commit,
      fence: run.identity.fence,
      text: chunk.text,
    },
  };
}
