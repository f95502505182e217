import { pMapIterable } from 'p-map';
import {
  BATCH_PATHS,
  groupsOf,
  RepotideError,
  throwIfAborted,
  toRepotideError,
  type ArchiveEntry,
  type BlobContent,
} from '@core/domain';
import { blobIdOf, startBlobId } from '../plan/git-trees.js';
import { type FileToFetch, type TreeSize } from '../plan/plan.js';
import { type SyncRun } from '../run/sync-run.js';
import { isArchiveWorthwhile } from './fetch-cost.js';
import { type WantedFiles } from './wanted-files.js';

/** A file with its verified content, or with the error of reading it. */
export interface FetchedFile {
  file: FileToFetch;
  content: BlobContent | { kind: 'failed'; error: RepotideError };
}

export interface Reading {
  run: SyncRun;
  wanted: WantedFiles;
  tree: TreeSize;
  /** Larger files are not read. */
  maxBytes: number;
  /** True: stop reading; the other files stay wanted. */
  isOver: () => boolean;
  /** Fires with the run's signal, and when the reader stops early. */
  signal: AbortSignal;
}

/** Limit of unwanted or too large files in an archive; above it, other strategies are cheaper. */
const MAX_UNWANTED_BYTES = 256 * 1024 * 1024;
/** Bounds memory: a batch may have several megabytes. */
const PARALLEL_BATCHES = 2;

/**
 * Reads every wanted file, with the cheapest strategy first. Each strategy yields what it can verify by blob SHA and
 * leaves the rest to the next, so only the last one must be complete. Stops when the run's budget is used.
 */
export async function* readFiles(reading: Reading): AsyncGenerator<FetchedFile> {
  for (const strategy of [readObjects, readArchive, readBatches, readBlobs]) {
    if (reading.isOver()) return;
    yield* strategy(reading);
  }
}

/** Reads blobs by SHA in one transfer, where the source can. Those that it does not send stay wanted. */
async function* readObjects(reading: Reading): AsyncGenerator<FetchedFile> {
  const { run, wanted, maxBytes, isOver, signal } = reading;
  const { source } = run.ports;
  if (wanted.size === 0 || source.transport()?.name !== 'git') return;
  run.strategies.use('objects');
  const { projectId } = run.repository;
  const sent = source.readObjects(projectId, run.commit, wanted.blobShas(), maxBytes, signal);
  for await (const { blobSha, content } of sent) {
    if (content.kind === 'bytes' && blobIdOf(content.bytes, blobSha) !== blobSha) continue;
    for (const file of wanted.take(blobSha)) yield { file, content };
    if (isOver()) return;
  }
}

/**
 * Reads the commit's archive when that saves requests. Entries are identified by the blob id of their bytes. The
 * repository's attributes may rewrite or exclude files: these match no entry and stay wanted.
 */
async function* readArchive(reading: Reading): AsyncGenerator<FetchedFile> {
  const { run, signal } = reading;
  while (!reading.isOver() && isArchiveWorthwhile(run, reading.wanted.size, reading.tree)) {
    run.strategies.use('archive');
    try {
      const entries = run.ports.source.readArchive(run.repository.projectId, run.commit, signal);
      yield* wantedEntries(reading, entries);
      return;
    } catch (thrown) {
      // Files that were read are kept. A second request starts over, so it is made only if it still saves requests.
      run.strategies.recordFailure(thrown, signal);
    }
  }
}

async function* wantedEntries(
  { wanted, maxBytes, isOver }: Reading,
  entries: AsyncIterable<ArchiveEntry>,
): AsyncGenerator<FetchedFile> {
  let unwantedBytes = 0;
  for await (const entry of entries) {
    // Of a file that is mostly zeros an archive has little, and unpacking it has no end.
    if (entry.sizeBytes > MAX_UNWANTED_BYTES - unwantedBytes) return;
    const { blobSha, content } = await readEntry(entry, maxBytes, wanted.anyBlobSha);
    const files = wanted.take(blobSha);
    for (const file of files) yield { file, content };
    if (files.length === 0 || content.kind === 'too_large') unwantedBytes += entry.sizeBytes;
    if (wanted.size === 0 || unwantedBytes > MAX_UNWANTED_BYTES || isOver()) return;
  }
}

/** Hashes a too large file as well, which proves its size, but does not keep its bytes. */
async function readEntry(
  { sizeBytes, bytes }: ArchiveEntry,
  maxBytes: number,
  idLike: string,
): Promise<{ blobSha: string; content: BlobContent }> {
  const id = startBlobId(sizeBytes, idLike);
  const isTooLarge = sizeBytes > maxBytes;
  const kept: Uint8Array[] = [];
  for await (const part of bytes) {
    id.update(part);
    if (!isTooLarge) kept.push(part);
  }
  const content: BlobContent = isTooLarge
    ? { kind: 'too_large', sizeBytes }
    : { kind: 'bytes', bytes: Buffer.concat(kept) };
  return { blobSha: id.digest('hex'), content };
}

/**
 * Reads text files, many per request. Files that are binary, in another encoding or too long for a batch are absent or
 * have another id, and stay wanted.
 */
async function* readBatches(reading: Reading): AsyncGenerator<FetchedFile> {
  const { run, wanted, maxBytes } = reading;
  if (wanted.size < run.request.limits.batchFromFiles || run.strategies.isClosed('graphql')) return;
  run.strategies.use('graphql');
  const batches = pMapIterable(batchesOf(reading), (paths) => readBatch(reading, paths), {
    concurrency: PARALLEL_BATCHES,
  });
  for await (const texts of batches) {
    for (const bytes of texts) {
      const sizeBytes = bytes.length;
      for (const file of wanted.take(blobIdOf(bytes, wanted.anyBlobSha))) {
        const isTooLarge = sizeBytes > maxBytes;
        yield { file, content: isTooLarge ? { kind: 'too_large', sizeBytes } : { kind: 'bytes', bytes } };
      }
    }
  }
}

function* batchesOf({ run, wanted, isOver }: Reading): Generator<string[]> {
  for (const files of groupsOf(wanted.onePerBlob(), BATCH_PATHS)) {
    if (isOver() || run.strategies.isClosed('graphql')) return;
    yield files.map(({ entry }) => entry.path);
  }
}

async function readBatch({ run, signal }: Reading, paths: readonly string[]): Promise<Iterable<Uint8Array>> {
  try {
    return (await run.ports.source.readTexts(run.project, run.commit, paths, signal)).values();
  } catch (thrown) {
    run.strategies.recordFailure(thrown, signal);
    return [];
  }
}

/**
 * Reads the other files one by one, by blob SHA: any bytes of any size. A failure of one blob fails its files; a
 * failure that would hit every blob (token, rate limit, long outage) is thrown.
 */
async function* readBlobs(reading: Reading): AsyncGenerator<FetchedFile> {
  const { run, wanted } = reading;
  if (wanted.size === 0) return;
  run.strategies.use('blobs');
  const { fetchConcurrency } = run.request.limits;
  const contents = pMapIterable(untilOver(reading), (file) => readBlob(reading, file), {
    concurrency: fetchConcurrency,
    backpressure: fetchConcurrency * 2,
  });
  for await (const { file, content } of contents) {
    for (const same of wanted.take(file.entry.blobSha)) yield { file: same, content };
  }
}

function* untilOver({ wanted, isOver }: Reading): Generator<FileToFetch> {
  for (const file of wanted.onePerBlob()) {
    if (isOver()) return;
    yield file;
  }
}

async function readBlob({ run, maxBytes, signal }: Reading, file: FileToFetch): Promise<FetchedFile> {
  const { blobSha, path } = file.entry;
  const { projectId } = run.repository;
  throwIfAborted(signal);
  try {
    const content = await run.ports.source.readBlob(projectId, blobSha, maxBytes, signal);
    const found = content.kind === 'bytes' ? blobIdOf(content.bytes, blobSha) : blobSha;
    if (found !== blobSha) throw blobMismatch(found, blobSha);
    return { file, content };
  } catch (thrown) {
    const error = faultOfOneFile(thrown, signal);
    run.ports.logger.warn({ path, error_code: error.code }, 'file could not be read');
    return { file, content: { kind: 'failed', error } };
  }
}

function blobMismatch(found: string, expected: string): RepotideError {
  const message = `The code host returned bytes with the git SHA ${found}, expected ${expected}.`;
  return new RepotideError('temporary', 'blob_sha_mismatch', message);
}

/** Returns the error if it concerns only one file. @throws the error if it would affect every file. */
export function faultOfOneFile(thrown: unknown, signal: AbortSignal): RepotideError {
  // After an abort, calls fail with various errors that the file did not cause.
  throwIfAborted(signal);
  const error = toRepotideError(thrown);
  const isOfFile = ['not_found', 'temporary', 'invalid', 'internal'].includes(error.kind);
  if (!isOfFile || error.code === 'project_not_found') throw error;
  return error;
}
