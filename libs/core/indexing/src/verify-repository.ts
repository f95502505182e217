import {
  throwIfAborted,
  type Manifest,
  type Repository,
  type RunCounters,
  type RunIdentity,
  type VectorStore,
} from '@core/domain';
import { compareStored } from './stored-points.js';

const BATCH = 500;

export interface VerifyRequest {
  repository: Repository;
  /** The vector store's own name of the generation that `manifest` belongs to. */
  collection: string;
  identity: RunIdentity;
  signal: AbortSignal;
  counters: RunCounters;
  repair: boolean;
}

/** What was found; with `repair` it has been put right. */
export interface VerifyReport {
  extraPoints: number;
  incompleteFiles: number;
}

/**
 * Proves that the store holds exactly the points that the manifest speaks of. With `repair`, extra points are removed,
 * and rows with missing points are marked as failed so that the next sync reads these files again.
 */
export async function verifyRepository(
  { repository, collection, identity, signal, counters, repair }: VerifyRequest,
  ports: { manifest: Manifest; vectorStore: VectorStore },
): Promise<VerifyReport> {
  const { extra, incomplete } = await compareStored({ repository, collection }, ports, signal);
  const report = { extraPoints: extra.length, incompleteFiles: incomplete.length };
  if (!repair) return report;
  for (let start = 0; start < extra.length; start += BATCH) {
    throwIfAborted(signal);
    const ids = extra.slice(start, start + BATCH);
    await ports.vectorStore.deletePoints(collection, ids, signal);
    counters.chunksDeleted += ids.length;
  }
  for (let start = 0; start < incomplete.length; start += BATCH) {
    throwIfAborted(signal);
    const upserts = incomplete.slice(start, start + BATCH).map((row) => ({
      ...row,
      lastError: 'points_missing: the store had lost points of this file; the next sync reads it again.',
    }));
    await ports.manifest.commitBatch(identity, { upserts, deletes: [] }, counters);
  }
  return report;
}
