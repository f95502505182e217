import { pMapIterable } from 'p-map';
import { RepotideError } from '@core/domain';
import { TextEmbedder } from './embed-batch.js';
import { type FileToFetch, type TreeSize } from '../plan/plan.js';
import { prepareFile, type PreparedFile } from './prepare-file.js';
import { readFiles, type FetchedFile } from '../read/read-files.js';
import { storeBatch } from './store-batch.js';
import { type SyncLimits, type SyncRun } from '../run/sync-run.js';
import { WantedFiles } from '../read/wanted-files.js';

/** Batches that are embedded while another one is stored: the requests of one do not wait for the last of the other. */
const BATCHES_IN_FLIGHT = 2;
/** With this many files, one slow answer does not delay a batch. */
const FILES_PREPARED_AHEAD = 8;
/** With fewer files the share is not significant: two failed files of three do not prove that a host is down. */
const MIN_FILES_TO_JUDGE = 20;

/**
 * Fetches, classifies, chunks, embeds and stores files in bounded batches, with backpressure: memory does not grow with
 * the repository. A batch's manifest rows are committed after its points are stored.
 */
export async function streamFiles(
  run: SyncRun,
  commit: string,
  files: readonly FileToFetch[],
  tree: TreeSize,
): Promise<void> {
  if (files.length === 0) return;
  const reading = new AbortController();
  // Made once: Node 20 keeps each combined signal as long as the run's signal.
  const signal = AbortSignal.any([run.signal, reading.signal]);
  const wanted = new WantedFiles(files);
  const { maxFileBytes: maxBytes } = run.repository;
  const isOver = () => run.budget.isOver();
  const contents = readFiles({ run, commit, wanted, tree, maxBytes, signal, isOver });
  const fetched = run.ports.tracer.items('fetch', { files: files.length }, contents);
  const prepare = async (file: FetchedFile) => showPrepared(run, await prepareFile(run, file));
  const prepared = pMapIterable(fetched, prepare, { concurrency: FILES_PREPARED_AHEAD });
  const batches = inBatches(prepared, run.request.limits);
  const texts = new TextEmbedder(run, files.length, signal);
  const embed = (batch: PreparedFile[]) =>
    run.stage('embed', { files: batch.length }, () => texts.embedBatch(batch));
  const embedded = pMapIterable(batches, embed, { concurrency: BATCHES_IN_FLIGHT });
  try {
    for await (const batch of embedded) {
      await run.stage('store', { files: batch.files.length }, () => storeBatch(run, commit, batch));
      assertFewFailures(run);
    }
  } finally {
    // Stops reading and embedding when something failed.
    reading.abort();
  }
  run.budget.addUnread(wanted.fileCount);
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

/** Many failed files have a common cause, so the run stops. */
function assertFewFailures(run: SyncRun): void {
  const { maxFailedPercent } = run.request.limits;
  const { failed, processed } = run.filesOfAttempt();
  if (processed < MIN_FILES_TO_JUDGE || failed * 100 <= processed * maxFailedPercent) return;
  throw new RepotideError(
    'temporary',
    'too_many_file_failures',
    `${failed} of ${processed} files failed, more than ${maxFailedPercent} percent: ` +
      'the run stops. See the files and their errors at /repositories/:id/files?status=failed.',
    { details: { files_failed: failed, files_processed: processed } },
  );
}
