import { tokensOf } from '@core/chunking';
import { BATCH_PATHS } from '@core/domain';
import { type FileToFetch, type SyncPlan, type TreeSize } from '../plan/plan.js';
import { type SyncRun } from '../run/sync-run.js';

/** Bytes that take as long as one more request on an ordinary network: a tenth of a second at 2.5 MB/s. */
const BYTES_PER_REQUEST = 256 * 1024;
/** Source text compresses to a quarter; measured on this project's sources. */
const COMPRESSION = 4;

/** Compressed size of a whole tree. */
function archiveBytes({ files, averageBytes }: TreeSize): number {
  return (files * averageBytes) / COMPRESSION;
}

/** Compares costs in requests, with bytes as requests: an archive has the whole tree, batches only wanted files. */
export function isArchiveWorthwhile(run: SyncRun, wantedBlobs: number, tree: TreeSize): boolean {
  if (wantedBlobs === 0 || run.strategies.isClosed('archive')) return false;
  const { archivePrice } = run.request.limits;
  const archive = 1 + archivePrice + archiveBytes(tree) / BYTES_PER_REQUEST;
  const perBatch = run.strategies.isClosed('graphql') ? 1 : BATCH_PATHS;
  const batches = Math.ceil(wantedBlobs / perBatch) + (wantedBlobs * tree.averageBytes) / BYTES_PER_REQUEST;
  return archive < batches;
}

/** Expected cost of reading files with the strategy that a sync would try first; null: nothing to read. */
interface FetchCost {
  strategy: 'objects' | 'archive' | 'graphql' | 'blobs' | null;
  requests: number;
  bytes: number;
}

function fetchCost(run: SyncRun, wantedBlobs: number, bytes: number, tree: TreeSize): FetchCost {
  if (wantedBlobs === 0) return { strategy: null, requests: 0, bytes: 0 };
  if (run.ports.source.transport()?.name === 'git') return { strategy: 'objects', requests: 1, bytes };
  if (isArchiveWorthwhile(run, wantedBlobs, tree)) {
    return { strategy: 'archive', requests: 1, bytes: Math.round(archiveBytes(tree)) };
  }
  const isBatched = wantedBlobs >= run.request.limits.batchFromFiles && !run.strategies.isClosed('graphql');
  return isBatched
    ? { strategy: 'graphql', requests: Math.ceil(wantedBlobs / BATCH_PATHS), bytes }
    : { strategy: 'blobs', requests: wantedBlobs, bytes };
}

export interface FetchEstimate extends FetchCost {
  chunks: number;
  tokens: number;
  /** The source of the sizes, as text. */
  sizesFrom: string;
}

/**
 * Estimates the cost of reading and embedding a plan's files. GitLab's tree has no sizes: a changed file is assumed to
 * have its previous size, a new one the average of the manifest. Equal content counts once.
 */
export function estimateFetch(run: SyncRun, { fetch, tree }: SyncPlan): FetchEstimate {
  const byBlob = new Map(fetch.map((file) => [file.entry.blobSha, file]));
  const sum = { bytes: 0, chunks: 0, tokens: 0, known: 0 };
  for (const file of byBlob.values()) {
    const bytes = Math.min(file.former?.sizeBytes ?? tree.averageBytes, run.repository.maxFileBytes);
    const chunks = chunksOf(run, file, bytes);
    sum.bytes += bytes;
    sum.chunks += chunks;
    // Neighbouring chunks share their overlap and both embed it; each chunk's tokens are rounded up.
    sum.tokens += tokensOf(bytes + (chunks - 1) * run.chunking.chunkOverlap) + chunks - 1;
    sum.known += (file.former?.sizeBytes ?? null) === null ? 0 : 1;
  }
  return {
    ...fetchCost(run, byBlob.size, Math.round(sum.bytes), tree),
    chunks: sum.chunks,
    tokens: sum.tokens,
    sizesFrom:
      `${sum.known} content(s) as large as their file was before, ` +
      `${byBlob.size - sum.known} of ${Math.round(tree.averageBytes)} bytes, ${tree.origin}`,
  };
}

function chunksOf({ chunking }: SyncRun, { former }: FileToFetch, bytes: number): number {
  if (former?.indexedAt && former.chunkCount > 0) return former.chunkCount;
  const { chunkSize, chunkOverlap } = chunking;
  return bytes <= chunkSize ? 1 : 1 + Math.ceil((bytes - chunkSize) / (chunkSize - chunkOverlap));
}
