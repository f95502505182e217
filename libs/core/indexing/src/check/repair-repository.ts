import { groupsOf, throwIfAborted, type RunOutcome } from '@core/domain';
import { syncRepository } from '../sync-repository.js';
import { type IndexingPorts, type SyncRequest } from '../run/sync-run.js';
import { describeDifferences, driftOf, verifyRepository } from './verify-repository.js';

const IDS_PER_CALL = 500;

/**
 * Makes the index equal to the branch's head: removes wrong points, then syncs as after an interrupted run, which checks
 * every point. Verifies again before it reports success.
 */
export async function repairRepository(request: SyncRequest, ports: IndexingPorts): Promise<RunOutcome> {
  const { repository, collection, identity, signal, counters } = request;
  const { state: found, wrongPoints } = await verifyRepository(request, ports);
  const { lastSyncedCommit } = repository;
  const commits = { fromCommit: lastSyncedCommit, toCommit: lastSyncedCommit };
  const base = { ...commits, counters, errorCode: null, errorMessage: null };
  if (found.is_equal) {
    await ports.manifest.recordVerification(identity, null);
    return { ...base, status: 'completed', report: { kind: 'verify', ...found, after_repair: null } };
  }

  await ports.manifest.markDirty(identity);
  for (const ids of groupsOf(wrongPoints, IDS_PER_CALL)) {
    throwIfAborted(signal);
    await ports.vectorStore.deletePoints(collection, ids, signal);
    counters.chunksDeleted += ids.length;
  }
  const synced = await syncRepository({ ...request, repository: { ...repository, indexDirty: true } }, ports);
  const repaired = { ...repository, lastSyncedCommit: synced.toCommit ?? lastSyncedCommit };
  const { state: after } = await verifyRepository({ repository: repaired, collection, signal }, ports);
  await ports.manifest.recordVerification(identity, driftOf(after));
  const report = { kind: 'verify', ...found, after_repair: after } as const;
  const was = describeDifferences(found);
  if (after.is_equal) {
    return { ...synced, report, errorCode: 'index_repaired', errorMessage: `Repaired: ${was}.` };
  }
  const errorMessage = `Found ${was}; after the repair still: ${describeDifferences(after)}.`;
  return { ...synced, status: 'failed', report, errorCode: 'index_differs', errorMessage };
}
