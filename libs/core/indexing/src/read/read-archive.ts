import { type ArchiveEntry, type BlobContent } from '@core/domain';
import { isArchiveWorthwhile } from './fetch-cost.js';
import { startBlobId } from '../run/object-id.js';
import { type FetchedFile, type Reading } from './reading.js';

/** Bytes of files that nobody asked for or that are too large to index; beyond it the archive is the dear way. */
const MAX_UNWANTED_BYTES = 256 * 1024 * 1024;

/**
 * Reads wanted files from the commit's archive when that spares requests. Entries are known by the id of their bytes
 * alone: one that the repository's attributes rewrote matches nothing, and one they left out stays wanted.
 */
export async function* readArchive(reading: Reading): AsyncGenerator<FetchedFile> {
  const { run, commit, signal } = reading;
  while (!reading.isOver() && isArchiveWorthwhile(run, reading.wanted.size, reading.tree)) {
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
  { run, wanted, isOver }: Reading,
  entries: AsyncIterable<ArchiveEntry>,
): AsyncGenerator<FetchedFile> {
  const { maxFileBytes } = run.repository;
  let unwantedBytes = 0;
  for await (const entry of entries) {
    const { blobSha, content } = await readEntry(entry, maxFileBytes, wanted.anyBlobSha);
    const files = wanted.take(blobSha);
    for (const file of files) yield { file, content };
    if (files.length === 0 || content.kind === 'too_large') unwantedBytes += entry.sizeBytes;
    if (wanted.size === 0 || unwantedBytes > MAX_UNWANTED_BYTES || isOver()) return;
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
