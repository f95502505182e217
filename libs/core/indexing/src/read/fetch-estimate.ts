import { tokensOf } from '@core/chunking';
import { fetchCost, type FetchCost } from './fetch-cost.js';
import { type FileToFetch, type SyncPlan } from '../plan/plan.js';
import { type SyncRun } from '../run/sync-run.js';

export interface FetchEstimate {
  way: FetchCost['way'] | null;
  requests: number;
  bytes: number;
  chunks: number;
  tokens: number;
  /** Where the sizes come from, in words. */
  sizesFrom: string;
}

/**
 * What reading and embedding a plan's files would cost. GitLab's tree tells no sizes: a changed file is taken to be as
 * large as before, a new one as the average of the manifest. Equal content counts once, as it is read and embedded once.
 */
export function estimateFetch(run: SyncRun, { fetch, tree }: SyncPlan): FetchEstimate {
  const byBlob = new Map(fetch.map((file) => [file.entry.blobSha, file]));
  const sum = { bytes: 0, chunks: 0, tokens: 0, known: 0 };
  for (const file of byBlob.values()) {
    const bytes = Math.min(file.former?.sizeBytes ?? tree.averageBytes, run.repository.maxFileBytes);
    const chunks = chunksOf(run, file, bytes);
    sum.bytes += bytes;
    sum.chunks += chunks;
    // Neighbouring chunks share their overlap, and both are embedded with it; each is rounded up by itself.
    sum.tokens += tokensOf(bytes + (chunks - 1) * run.repository.chunkOverlap) + chunks - 1;
    sum.known += (file.former?.sizeBytes ?? null) === null ? 0 : 1;
  }
  const cost = fetchCost(run, byBlob.size, Math.round(sum.bytes), tree);
  return {
    way: cost?.way ?? null,
    requests: cost?.requests ?? 0,
    bytes: cost?.bytes ?? 0,
    chunks: sum.chunks,
    tokens: sum.tokens,
    sizesFrom:
      `${sum.known} content(s) as large as their file was before, ` +
      `${byBlob.size - sum.known} of ${Math.round(tree.averageBytes)} bytes, ${tree.origin}`,
  };
}

function chunksOf({ repository }: SyncRun, { former }: FileToFetch, bytes: number): number {
  if (former?.indexedAt && former.chunkCount > 0) return former.chunkCount;
  const { chunkSize, chunkOverlap } = repository;
  return bytes <= chunkSize ? 1 : 1 + Math.ceil((bytes - chunkSize) / (chunkSize - chunkOverlap));
}
