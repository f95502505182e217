import { throwIfAborted, type ManifestEntry } from '@core/domain';
import { type FileToFetch } from '../plan/plan.js';
import { compareStored } from './stored-points.js';
import { type SyncRun } from '../run/sync-run.js';

const PATHS_PER_SWEEP = 500;

/**
 * Removes the points and rows of paths that left the tree. Call only after a complete listing and after all new
 * points are stored.
 * @param renamedPaths vanished paths already counted as renamed.
 */
export async function sweepVanished(
  run: SyncRun,
  vanished: readonly ManifestEntry[],
  renamedPaths: ReadonlySet<string>,
): Promise<void> {
  const { counters } = run.request;
  for (let start = 0; start < vanished.length; start += PATHS_PER_SWEEP) {
    throwIfAborted(run.signal);
    const rows = vanished.slice(start, start + PATHS_PER_SWEEP);
    const indexed = rows.filter((row) => row.indexedAt !== null).map(({ path }) => ({ path }));
    if (indexed.length > 0) {
      counters.chunksDeleted += await run.ports.vectorStore.deleteFiles(
        run.collection,
        run.repository.id,
        indexed,
        run.signal,
      );
    }
    const deleted = rows.filter((row) => !renamedPaths.has(row.path)).length;
    counters.filesDeleted += deleted;
    counters.filesProcessed += deleted;
    const deletes = rows.map((row) => row.path);
    await run.ports.manifest.commitBatch(run.identity, { upserts: [], deletes }, run.counters);
    run.work.done(deletes);
    run.report('storing', 'Removing what left the repository');
  }
}

/**
 * Makes the store hold what the manifest speaks of: removes points that it does not know, leftovers of an interrupted run
 * or of a writer that lost its lease, and finds what such a writer took away. Looks at every point of the repository, so
 * it is called only when an earlier run did not end.
 * @returns the files to read again.
 */
export async function sweepOrphans(run: SyncRun): Promise<FileToFetch[]> {
  run.report('storing', 'Looking for leftovers of an interrupted run');
  const { stale, doubled, incomplete } = await compareStored(run, run.ports, run.signal);
  const extra = [...stale, ...doubled];
  for (let start = 0; start < extra.length; start += PATHS_PER_SWEEP) {
    throwIfAborted(run.signal);
    const ids = extra.slice(start, start + PATHS_PER_SWEEP);
    await run.ports.vectorStore.deletePoints(run.collection, ids, run.signal);
    run.request.counters.chunksDeleted += ids.length;
  }
  // A row with an error speaks of a former version; it is tried again anyway.
  return incomplete.filter((row) => row.lastError === null).map((row) => ({ entry: row, former: row }));
}
