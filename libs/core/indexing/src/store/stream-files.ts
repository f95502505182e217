import { pMapIterable } from 'p-map';
import { RepotideError } from '@core/domain';
import { TextEmbedder, type EmbeddedBatch } from './embed-batch.js';
import { type FileToFetch, type TreeSize } from '../plan/plan.js';
import { prepareFile, type PreparedFile } from './prepare-file.js';
import { readFiles, type FetchedFile } from '../read/read-files.js';
import { inBatches, storeBatch } from './store-batch.js';
import { type SyncRun } from '../run/sync-run.js';
import { WantedFiles } from '../read/wanted-files.js';

/** Twice what a content thread is sent, so that it has files while the first ones are collected. */
const FILES_PREPARED_AHEAD = 16;
/** A whole batch is ready when an embedding ends. */
const BATCHES_READY = 1;
/** The requests of one batch do not wait for the last of the other. */
const BATCHES_EMBEDDED_AT_ONCE = 2;
/** The store and the database work at the same time: the rows of one batch are committed while the points of another are stored. */
const BATCHES_STORED_AT_ONCE = 2;
/** With fewer files the share is not significant: two failed files of three do not prove that a host is down. */
const MIN_FILES_TO_JUDGE = 20;

/**
 * Fetches, classifies, chunks, embeds and stores files in bounded batches, with backpressure: memory does not grow with
 * the repository. A batch's manifest rows are committed after its points are stored.
 */
export async function streamFiles(
  run: SyncRun,
  files: readonly FileToFetch[],
  tree: TreeSize,
): Promise<void> {
  if (files.length === 0) return;
  run.work.expectReads(files.length);
  const reading = new AbortController();
  // Made once: Node 20 keeps each combined signal as long as the run's signal.
  const signal = AbortSignal.any([run.signal, reading.signal]);
  const wanted = await WantedFiles.of(files);
  const { maxFileBytes: maxBytes } = run.repository;
  const isOver = () => run.budget.isOver();
  const contents = readFiles({ run, wanted, tree, maxBytes, signal, isOver });
  const fetched = run.ports.tracer.items('fetch', { files: files.length }, contents);
  const prepare = async (file: FetchedFile) => {
    run.work.downloaded();
    const ready = await prepareFile(run, file);
    run.work.prepared(ready);
    run.reportWork(ready.row.path);
    return ready;
  };
  const prepared = pMapIterable(fetched, prepare, { concurrency: FILES_PREPARED_AHEAD });
  const batches = inBatches(prepared, ({ chunks }) => chunks.length, run.request.limits);
  const ready = pMapIterable(batches, (batch) => batch, { concurrency: BATCHES_READY });
  const texts = new TextEmbedder(run, files.length, signal);
  const embed = (batch: PreparedFile[]) =>
    run.stage('embed', { files: batch.length }, () => texts.embedBatch(batch));
  const embedded = pMapIterable(ready, embed, { concurrency: BATCHES_EMBEDDED_AT_ONCE });
  try {
    await storeAll(run, embedded);
  } finally {
    // Stops reading and embedding when something failed.
    reading.abort();
  }
  run.budget.addUnread(wanted.fileCount);
}

/** When it ends, also by an error, nothing is being stored any more. */
async function storeAll(run: SyncRun, batches: AsyncIterable<EmbeddedBatch>): Promise<void> {
  const storing = new Set<Promise<void>>();
  const store = async (batch: EmbeddedBatch): Promise<number> => {
    const stored = run.stage('store', { files: batch.files.length }, () => storeBatch(run, batch));
    storing.add(stored);
    await stored.finally(() => storing.delete(stored));
    return batch.files.length;
  };
  try {
    // Keeps the order: pMap would lose an error of the batches when two stores wait for the next one.
    for await (const files of pMapIterable(batches, store, { concurrency: BATCHES_STORED_AT_ONCE }))
      if (files > 0) assertFewFailures(run);
  } finally {
    await Promise.allSettled(storing);
  }
}

/** Many failed files have a common cause, so the run stops. */
function assertFewFailures(run: SyncRun): void {
  const { maxFailedPercent } = run.request.limits;
  const { failed, processed } = run.filesOfAttempt();
  if (processed < MIN_FILES_TO_JUDGE || failed * 100 <= processed * maxFailedPercent) return;
  const message =
    `${failed} of ${processed} files failed, more than ${maxFailedPercent} percent: the run stops. ` +
    'See the files and their errors at /repositories/:id/files?status=failed.';
  const details = { files_failed: failed, files_processed: processed };
  throw new RepotideError('temporary', 'too_many_file_failures', message, { details });
}
