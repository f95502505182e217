import { groupsOf, throwIfAborted, type RunOutcome } from '@core/domain';
import { termsOf } from '@core/search';
import { syncRepository } from '../sync-repository.js';
import { type IndexingPorts, type SyncRequest } from '../run/sync-run.js';
import { dropLeftovers } from '../store/sweep-strays.js';
import { describeDifferences, driftOf, verifyRepository } from './verify-repository.js';

const IDS_PER_CALL = 500;

/**
 * Makes the index equal to the branch's head: removes wrong points, fills in lost terms, then syncs as after an interrupted
 * run, which checks every point. Verifies again before it reports success. Also removes collections that Postgres does not
 * know, as after a backup of it was restored.
 */
export async function repairRepository(request: SyncRequest, ports: IndexingPorts): Promise<RunOutcome> {
  const { repository, collection, identity, signal, counters } = request;
  await dropLeftovers(ports, signal);
  const { state: now, wrongPoints } = await verifyRepository(request, ports);
  const earlier = request.found?.kind === 'verify' ? request.found : null;
  const found = earlier ?? { kind: 'verify' as const, ...now, after_repair: null };
  const { lastSyncedCommit } = repository;
  const commits = { fromCommit: lastSyncedCommit, toCommit: lastSyncedCommit };
  const base = { ...commits, counters, errorCode: null, errorMessage: null };
  if (found.is_equal) {
    await ports.manifest.recordVerification(identity, null);
    return { ...base, status: 'completed', report: found };
  }

  // Recorded before the repair, so that a later attempt reports it too.
  await ports.manifest.recordFinding(identity, found);
  await ports.manifest.markDirty(identity);
  for (const ids of groupsOf(wrongPoints, IDS_PER_CALL)) {
    throwIfAborted(signal);
    await ports.vectorStore.deletePoints(collection, ids, signal);
    counters.chunksDeleted += ids.length;
  }
  if (now.points_without_terms > 0)
    await ports.vectorStore.fillTerms(collection, repository.id, termsOf, signal);
  const dirty = { ...repository, indexDirty: true };
  const synced = await syncRepository({ ...request, found, repository: dirty }, ports);
  const repaired = { ...repository, lastSyncedCommit: synced.toCommit ?? lastSyncedCommit };
  const { state: after } = await verifyRepository({ repository: repaired, collection, signal }, ports);
  await ports.manifest.recordVerification(identity, driftOf(after));
  const report = { ...found, after_repair: after };
  const was = describeDifferences(found);
  if (after.is_equal) {
    return { ...synced, report, errorCode: 'index_repaired', errorMessage: `Repaired: ${was}.` };
  }
  const errorMessage = `Found ${was}; after the repair still: ${describeDifferences(after)}.`;
  return { ...synced, status: 'failed', report, errorCode: 'index_differs', errorMessage };
}
