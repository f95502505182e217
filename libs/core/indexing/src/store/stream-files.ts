import { pMapIterable } from 'p-map';
import { createChunker } from '@core/chunking';
import { RepotideError } from '@core/domain';
import { embedBatch } from './embed-batch.js';
import { type FileToFetch, type TreeSize } from '../plan/plan.js';
import { prepareFile, type PreparedFile } from './prepare-file.js';
import { readContents } from '../read/read-contents.js';
import { type FetchedFile } from '../read/reading.js';
import { storeBatch } from './store-batch.js';
import { type SyncLimits, type SyncRun } from '../run/sync-run.js';
import { WantedFiles } from '../read/wanted-files.js';

/** Batches embedded ahead of the one being stored. */
const BATCHES_IN_FLIGHT = 2;
/** Chunking is quick; so many keep a batch from waiting for one slow answer. */
const FILES_PREPARED_AHEAD = 8;
/** With fewer, a share says nothing: two bad files of three are no sign of a host that is down. */
const MIN_FILES_TO_JUDGE = 20;

/**
 * fetch -> classify -> chunk -> embed -> upsert, in bounded batches: a slow store slows the fetching down, and memory
 * does not grow with the repository. Each batch's manifest rows are committed after its points are stored.
 */
export async function streamFiles(
  run: SyncRun,
  commit: string,
  files: readonly FileToFetch[],
  tree: TreeSize,
): Promise<void> {
  if (files.length === 0) return;
  const chunker = createChunker(run.repository);
  const reading = new AbortController();
  // Made once a run: on Node 20 each such signal is kept as long as the run's own.
  const signal = AbortSignal.any([run.signal, reading.signal]);
  const wanted = new WantedFiles(files);
  const contents = readContents({ run, commit, wanted, tree, signal, isOver: () => run.budget.isOver() });
  const fetched = run.ports.tracer.items('fetch', { files: files.length }, contents);
  const prepare = async (file: FetchedFile) => showPrepared(run, await prepareFile(run, chunker, file));
  const prepared = pMapIterable(fetched, prepare, { concurrency: FILES_PREPARED_AHEAD });
  const batches = inBatches(prepared, run.request.limits);
  const embed = (batch: PreparedFile[]) =>
    run.stage('embed', { files: batch.length }, () => embedBatch(run, batch));
  const embedded = pMapIterable(batches, embed, { concurrency: BATCHES_IN_FLIGHT });
  try {
    for await (const batch of embedded) {
      await run.stage('store', { files: batch.files.length }, () => storeBatch(run, commit, batch));
      assertFewFailures(run);
    }
  } finally {
    // When storing failed, a read in flight would go on for nobody.
    reading.abort();
  }
  run.budget.leave(wanted.fileCount);
}

function showPrepared(run: SyncRun, file: PreparedFile): PreparedFile {
  run.work.prepared(file);
  run.reportWork(file.row.path);
  return file;
}

async function* inBatches(
  files: AsyncIterable<PreparedFile>,
  limits: SyncLimits,
): AsyncGenerator<PreparedFile[]> {
  let batch: PreparedFile[] = [];
  let chunks = 0;
  for await (const file of files) {
    batch.push(file);
    chunks += file.chunks.length;
    if (chunks >= limits.batchChunks || batch.length >= limits.batchFiles) {
      yield batch;
      batch = [];
      chunks = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Above a share of failed files the trouble is not the files'. */
function assertFewFailures(run: SyncRun): void {
  const { maxFailedPercent } = run.request.limits;
  const { failed, processed } = run.filesOfAttempt();
  if (processed < MIN_FILES_TO_JUDGE || failed * 100 <= processed * maxFailedPercent) return;
  throw new RepotideError(
    'temporary',
    'too_many_file_failures',
    `${failed} of ${processed} files failed, more than ${maxFailedPercent} percent: ` +
      'the run stops instead of pretending. The files and their errors are listed under ' +
      '/repositories/:id/files?status=failed.',
    { details: { files_failed: failed, files_processed: processed } },
  );
}
