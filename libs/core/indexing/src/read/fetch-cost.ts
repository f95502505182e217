import { BATCH_PATHS } from '@core/domain';
import { type TreeSize } from '../plan/plan.js';
import { type SyncRun } from '../run/sync-run.js';

/** What takes as long as one more request on an ordinary network: a tenth of a second at 2.5 MB/s. */
const BYTES_PER_REQUEST = 256 * 1024;
/** Source text packs to a quarter; measured on this project's own sources. */
const COMPRESSION = 4;

/** What reading files is expected to cost in the way that a sync would go first. */
export interface FetchCost {
  way: 'archive' | 'graphql' | 'blobs';
  requests: number;
  bytes: number;
}

/** Packed, of a whole tree. */
function archiveBytes({ files, averageBytes }: TreeSize): number {
  return (files * averageBytes) / COMPRESSION;
}

/** Counts requests, and bytes as requests: an archive brings the whole tree packed, batches bring what is wanted. */
export function isArchiveWorthwhile(run: SyncRun, wantedBlobs: number, tree: TreeSize): boolean {
  if (wantedBlobs === 0 || run.ways.isClosed('archive')) return false;
  const { archivePrice } = run.request.limits;
  const archive = 1 + archivePrice + archiveBytes(tree) / BYTES_PER_REQUEST;
  const perBatch = run.ways.isClosed('graphql') ? 1 : BATCH_PATHS;
  const batches = Math.ceil(wantedBlobs / perBatch) + (wantedBlobs * tree.averageBytes) / BYTES_PER_REQUEST;
  return archive < batches;
}

/** @param bytes of the wanted blobs together. @returns null when nothing is wanted. */
export function fetchCost(
  run: SyncRun,
  wantedBlobs: number,
  bytes: number,
  tree: TreeSize,
): FetchCost | null {
  if (wantedBlobs === 0) return null;
  if (isArchiveWorthwhile(run, wantedBlobs, tree)) {
    return { way: 'archive', requests: 1, bytes: Math.round(archiveBytes(tree)) };
  }
  const isBatched = wantedBlobs >= run.request.limits.batchFromFiles && !run.ways.isClosed('graphql');
  return isBatched
    ? { way: 'graphql', requests: Math.ceil(wantedBlobs / BATCH_PATHS), bytes }
    : { way: 'blobs', requests: wantedBlobs, bytes };
}
