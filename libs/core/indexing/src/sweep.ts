import { throwIfAborted, type ManifestEntry, type StoredPoint } from '@core/domain';
import { fileVersionOf } from './identity.js';
import { type SyncRun } from './sync-run.js';

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
    run.processed(rows.length);
    run.report('storing', 'Removing what left the repository');
  }
}

/**
 * Removes points that the manifest does not know: leftovers of an interrupted run or of a writer that lost its lease.
 * Looks at every point of the repository, so it is called only when an earlier run did not end.
 */
export async function sweepOrphans(run: SyncRun): Promise<void> {
  const known = await expectedPoints(run);
  let orphans: string[] = [];
  for await (const page of run.ports.vectorStore.listPoints(run.collection, run.repository.id, run.signal)) {
    orphans.push(...page.filter((point) => !isKnown(known, point)).map((point) => point.id));
    run.report('storing', 'Looking for leftovers of an interrupted run');
  }
  while (orphans.length > 0) {
    throwIfAborted(run.signal);
    const ids = orphans.slice(0, PATHS_PER_SWEEP);
    await run.ports.vectorStore.deletePoints(run.collection, ids, run.signal);
    run.request.counters.chunksDeleted += ids.length;
    orphans = orphans.slice(PATHS_PER_SWEEP);
  }
}

type ExpectedPoints = ReadonlyMap<string, { version: string; chunkCount: number }>;

async function expectedPoints(run: SyncRun): Promise<ExpectedPoints> {
  const known = new Map<string, { version: string; chunkCount: number }>();
  for await (const rows of run.ports.manifest.listEntries(run.repository.id)) {
    for (const row of rows) {
      if (row.indexedAt === null) continue;
      known.set(row.path, {
        version: fileVersionOf(row.blobSha, row.fingerprint),
        chunkCount: row.chunkCount,
      });
    }
  }
  return known;
}

function isKnown(known: ExpectedPoints, point: StoredPoint): boolean {
  const expected = known.get(point.path);
  return expected?.version === point.file_version && point.chunk_index < expected.chunkCount;
}
