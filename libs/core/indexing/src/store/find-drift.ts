import {
  RepotideError,
  sleep,
  type DriftCause,
  type IndexState,
  type ManifestTotals,
  type PointTally,
} from '@core/domain';
import { Drift } from '../run/drift.js';
import { type SyncRun } from '../run/sync-run.js';

/** Longer than replicas of one data centre usually lag; a longer lag costs a comparison of all points. */
const REPLICA_LAG_MS = 200;
const READS = 3;

/**
 * Compares the store with the mark of the last run, in one request. After an interrupted run the mark says nothing, and
 * every point is compared anyway.
 * @throws temporary `fences_behind` when a point has a higher fence than this run: such points cannot be replaced. The
 *   next attempt gets a higher one.
 */
export async function findDrift(run: SyncRun, { chunks: expected }: ManifestTotals): Promise<Drift | null> {
  const { repository, ports, request } = run;
  const isSuspect = repository.indexDirty || repository.lostSince !== null;
  const isExpected = (tally: PointTally) => isSuspect || causeOf(tally, expected, repository) === null;
  const found = await settledTally(run, isExpected);
  if (found.newestFence !== null && found.newestFence > run.identity.fence) {
    await ports.manifest.raiseFences(found.newestFence);
    throw fencesBehind(found.newestFence, run.identity.fence);
  }
  if (request.found?.kind === 'drift') {
    const { cause } = request.found;
    // The earlier attempt may have stopped right after it noticed the lost collection.
    const known = repository.lostSince ? 'collection_lost' : cause;
    return noteDrift(run, Drift.continued({ ...request.found, cause: known }));
  }
  if (repository.indexDirty && repository.lostSince === null) return null;
  const cause = repository.lostSince ? 'collection_lost' : causeOf(found, expected, repository);
  return cause === null ? null : noteDrift(run, new Drift(cause, { expected, found: found.points }));
}

function causeOf(found: PointTally, expected: number, mark: IndexState): DriftCause | null {
  if ((found.newestFence ?? 0) > (mark.markFence ?? 0)) return 'database_behind';
  const isMarked = found.newestFence === mark.markFence && found.atNewestFence === (mark.markPoints ?? 0);
  if (isMarked && found.points === expected) return null;
  const hasOlder = found.newestFence !== null && found.newestFence !== mark.markFence;
  return hasOlder ? 'store_behind' : 'points_differ';
}

/** Reads the tally again before a difference is believed: replicas of the store may lag for a moment. */
export async function settledTally(
  { ports, collection, repository, signal }: SyncRun,
  isExpected: (tally: PointTally) => boolean,
): Promise<PointTally> {
  for (let reads = 1; ; reads++) {
    const tally = await ports.vectorStore.tally(collection, repository.id, signal);
    if (isExpected(tally) || reads === READS) return tally;
    await sleep(REPLICA_LAG_MS, signal);
  }
}

/** Call it before the repair begins, so that a later attempt knows the cause. */
export async function noteDrift(run: SyncRun, drift: Drift): Promise<Drift> {
  const { cause, points_expected, points_found } = drift.report;
  const fields = { collection: run.collection, cause, points_expected, points_found };
  run.ports.logger.warn(fields, 'the vector store differs from the last run: comparing every point');
  await recordDrift(run, drift);
  return drift;
}

/** A repair reports what its verification found instead. */
export async function recordDrift({ ports, identity, request }: SyncRun, drift: Drift): Promise<void> {
  if (request.found?.kind !== 'verify') await ports.manifest.recordFinding(identity, drift.report);
}

/**
 * Makes the collection where it is missing, which is never silent: the run reports it, and the other repositories of the
 * collection become lost, so that runs restore them at once.
 */
export async function openCollection(run: SyncRun): Promise<void> {
  const { ports, repository, collection, modelId, signal, drift } = run;
  const { dimensions } = ports.embedder.model;
  const spec = { name: collection, modelId, dimensions };
  const incarnation = await ports.vectorStore.ensureCollection(spec, signal);
  const { generationId } = run.request;
  const own = { own: repository.id };
  const adopted = await ports.generations.adoptCollection(generationId, incarnation, own);
  if (!adopted || adopted.former === null) return;
  const fields = { collection, generation_id: generationId, lost_repositories: adopted.lost };
  ports.logger.warn(fields, 'the collection was missing or replaced: its points are restored');
  if (repository.lastSyncedCommit === null) return;
  const { chunks: expected } = await ports.manifest.totalsOf(repository.id);
  run.drift = await noteDrift(run, new Drift('collection_lost', drift?.counts ?? { expected, found: 0 }));
}

function fencesBehind(newest: number, fence: number): RepotideError {
  const message =
    `The vector store has points of attempt ${newest}, and Postgres gave this one the number ${fence}: Postgres was ` +
    'restored from an older backup. Its numbers now continue above, and the next attempt checks the whole index.';
  return new RepotideError('temporary', 'fences_behind', message, {
    details: { newest_fence: newest, fence },
  });
}
