import { throwIfAborted, type ActiveRun, type RunOutcome } from '@core/domain';
import { type HandlerPorts } from './open-run.js';

/**
 * Removes the points of a deleted repository from every generation of the collection, in pages so that progress is
 * visible, and then its rows. After an interruption the next attempt removes the rest.
 */
export async function purge(active: ActiveRun, ports: HandlerPorts): Promise<RunOutcome> {
  const { repository, signal, counters } = active;
  for (const { physicalName } of await ports.generations.list([repository.collectionName])) {
    await removePoints(physicalName, active, ports);
    // A run may have written further points before it stopped.
    await ports.vectorStore.deleteRepository(physicalName, repository.id, signal);
  }
  await ports.repositories.markPurged(repository.id);
  const commits = { fromCommit: repository.lastSyncedCommit, toCommit: null };
  return { status: 'completed', counters, ...commits, errorCode: null, errorMessage: null };
}

async function removePoints(
  collection: string,
  { repository, identity, signal, counters }: ActiveRun,
  { vectorStore, progress }: HandlerPorts,
): Promise<void> {
  const total = await vectorStore.count(collection, repository.id, signal);
  let removed = 0;
  for await (const page of vectorStore.listPoints(collection, repository.id, signal)) {
    throwIfAborted(signal);
    const ids = page.map((point) => point.id);
    await vectorStore.deletePoints(collection, ids, signal);
    removed += ids.length;
    counters.chunksDeleted += ids.length;
    progress.report(identity.executionId, {
      stage: 'storing',
      message: `Removed ${removed} of ${Math.max(total, removed)} points`,
      totalFiles: Math.max(total, removed),
      processedFiles: removed,
      shareDone: removed / Math.max(total, removed, 1),
      currentFile: null,
      failedFiles: 0,
    });
  }
}
