import { BATCH_PATHS, type ArchiveEntry, type BlobContent } from '@core/domain';
import { startBlobId } from './object-id.js';
import { type FetchedFile, type Reading } from './reading.js';

/** What takes as long as one more request on an ordinary network: a tenth of a second at 2.5 MB/s. */
const BYTES_PER_REQUEST = 256 * 1024;
/** Source text packs to a quarter; measured on this project's own sources. */
const COMPRESSION = 4;
/** Bytes of files that nobody asked for or that are too large to index; beyond it the archive is the dear way. */
const MAX_UNWANTED_BYTES = 256 * 1024 * 1024;
/**
 * Reads wanted files from the commit's archive when that spares requests. Entries are known by the id of their bytes
 * alone: one that the repository's attributes rewrote matches nothing, and one they left out stays wanted.
 */
export async function* readArchive(reading: Reading): AsyncGenerator<FetchedFile> {
  const { run, commit, signal } = reading;
  while (isWorthwhile(reading)) {
    run.ways.enter('archive');
    try {
      const entries = run.ports.source.readArchive(run.repository.projectId, commit, signal);
      yield* wantedEntries(reading, entries);
      return;
    } catch (thrown) {
      // What has arrived is kept. Another try begins anew: it is made once, when it broke off and still pays.
      run.ways.leave(thrown, signal);
    }
  }
}

async function* wantedEntries(
  { run, wanted }: Reading,
  entries: AsyncIterable<ArchiveEntry>,
): AsyncGenerator<FetchedFile> {
  const { maxFileBytes } = run.repository;
  let unwantedBytes = 0;
  for await (const entry of entries) {
    const { blobSha, content } = await readEntry(entry, maxFileBytes, wanted.anyBlobSha);
    const files = wanted.take(blobSha);
    for (const file of files) yield { file, content };
    if (files.length === 0 || content.kind === 'too_large') unwantedBytes += entry.sizeBytes;
    if (wanted.size === 0 || unwantedBytes > MAX_UNWANTED_BYTES) return;
  }
}

/** A file that is too large is hashed as well, so that its size is proven; it is not kept. */
async function readEntry(
  { sizeBytes, bytes }: ArchiveEntry,
  maxBytes: number,
  idLike: string,
): Promise<{ blobSha: string; content: BlobContent }> {
  const id = startBlobId(sizeBytes, idLike);
  const kept: Uint8Array[] = [];
  for await (const part of bytes) {
    id.update(part);
    if (sizeBytes <= maxBytes) kept.push(part);
  }
  const content: BlobContent =
    sizeBytes <= maxBytes ? { kind: 'bytes', bytes: Buffer.concat(kept) } : { kind: 'too_large', sizeBytes };
  return { blobSha: id.digest('hex'), content };
}

/** Counts requests, and bytes as requests: an archive brings the whole tree packed, batches bring what is wanted. */
function isWorthwhile({ run, wanted, tree }: Reading): boolean {
  if (wanted.size === 0 || run.ways.isClosed('archive')) return false;
  const { archivePrice } = run.request.limits;
  const archive = 1 + archivePrice + (tree.files * tree.averageBytes) / COMPRESSION / BYTES_PER_REQUEST;
  const perBatch = run.ways.isClosed('graphql') ? 1 : BATCH_PATHS;
  const batches = Math.ceil(wanted.size / perBatch) + (wanted.size * tree.averageBytes) / BYTES_PER_REQUEST;
  return archive < batches;
}
