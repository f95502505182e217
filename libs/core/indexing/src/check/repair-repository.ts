import { throwIfAborted, type RunOutcome } from '@core/domain';
import { syncRepository } from '../sync-repository.js';
import { type IndexingPorts, type SyncRequest } from '../run/sync-run.js';
import { describeDifferences, verifyRepository } from './verify-repository.js';

const IDS_PER_CALL = 500;

/**
 * Makes the index equal the branch's head again: takes wrong points away, then syncs as after an interrupted run, which
 * trusts neither the pointer nor that a row's points are there. Looks a second time, and only then says so.
 */
export async function repairRepository(request: SyncRequest, ports: IndexingPorts): Promise<RunOutcome> {
  const { repository, collection, identity, signal, counters } = request;
  const { state: found, wrongPoints } = await verifyRepository(request, ports);
  const { lastSyncedCommit } = repository;
  const commits = { fromCommit: lastSyncedCommit, toCommit: lastSyncedCommit };
  const base = { ...commits, counters, errorCode: null, errorMessage: null };
  if (found.is_equal) {
    return { ...base, status: 'completed', report: { kind: 'verify', ...found, after_repair: null } };
  }

  await ports.manifest.markDirty(identity);
  for (let start = 0; start < wrongPoints.length; start += IDS_PER_CALL) {
    throwIfAborted(signal);
    const ids = wrongPoints.slice(start, start + IDS_PER_CALL);
    await ports.vectorStore.deletePoints(collection, ids, signal);
    counters.chunksDeleted += ids.length;
  }
  const synced = await syncRepository({ ...request, repository: { ...repository, indexDirty: true } }, ports);
  const mended = { ...repository, lastSyncedCommit: synced.toCommit ?? lastSyncedCommit };
  const { state: left } = await verifyRepository({ repository: mended, collection, signal }, ports);
  const report = { kind: 'verify', ...found, after_repair: left } as const;
  const was = describeDifferences(found);
  if (left.is_equal) {
    return { ...synced, report, errorCode: 'index_repaired', errorMessage: `Found and put right: ${was}.` };
  }
  const errorMessage = `Found ${was}; after the repair there is still: ${describeDifferences(left)}.`;
  return { ...synced, status: 'failed', report, errorCode: 'index_differs', errorMessage };
}
