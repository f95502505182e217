import { groupsOf, throwIfAborted, type ManifestEntry } from '@core/domain';
import { type FileToFetch } from '../plan/plan.js';
import { compareStored } from './compare-points.js';
import { recordDrift } from './find-drift.js';
import { commitRows, deletePoints } from './store-batch.js';
import { type SyncRun } from '../run/sync-run.js';

const PATHS_PER_SWEEP = 500;

/**
 * Removes the points and rows of removed paths. Call only after a complete listing and after all new points are stored.
 * @param renamedPaths removed paths that are already counted as renamed.
 */
export async function sweepVanished(
  run: SyncRun,
  vanished: readonly ManifestEntry[],
  renamedPaths: ReadonlySet<string>,
): Promise<void> {
  for (const rows of groupsOf(vanished, PATHS_PER_SWEEP)) {
    throwIfAborted(run.signal);
    await deletePoints(
      run,
      rows.filter((row) => row.indexedAt !== null).map(({ path }) => ({ path })),
    );
    const deleted = rows.filter((row) => !renamedPaths.has(row.path)).length;
    const deletes = rows.map((row) => row.path);
    await commitRows(run, { deletes }, { filesDeleted: deleted, filesProcessed: deleted });
    run.work.done(deletes);
    run.report('storing', 'Removing deleted files');
  }
}

/**
 * Removes points that the manifest does not have, and finds points that are missing: an interrupted run, a writer that
 * lost its lease, or a restored store leaves both. Reads every point of the repository.
 * @returns the files to read again.
 */
export async function sweepOrphans(run: SyncRun): Promise<FileToFetch[]> {
  run.report('storing', 'Comparing every point with the manifest');
  const found = await compareStored(run, run.ports);
  if (run.drift) {
    run.drift.add(found);
    await recordDrift(run, run.drift);
  }
  for (const ids of groupsOf([...found.stale, ...found.doubled], PATHS_PER_SWEEP)) {
    throwIfAborted(run.signal);
    await run.ports.vectorStore.deletePoints(run.collection, ids, run.signal);
    run.request.counters.chunksDeleted += ids.length;
  }
  const { incomplete } = found;
  for (const rows of groupsOf(
    incomplete.filter((row) => row.lastError !== null),
    PATHS_PER_SWEEP,
  ))
    await forgetLost(run, rows);
  return incomplete.filter((row) => row.lastError === null).map((row) => ({ entry: row, former: row }));
}

/**
 * Rows of failed files whose former version has lost points: this run could not read the file, so it removes the other
 * points of that version. The next run tries the file again.
 */
async function forgetLost(run: SyncRun, rows: readonly ManifestEntry[]): Promise<void> {
  throwIfAborted(run.signal);
  await deletePoints(
    run,
    rows.map(({ path }) => ({ path })),
  );
  await commitRows(run, { upserts: rows.map((row) => ({ ...row, indexedAt: null, chunkCount: 0 })) });
}
