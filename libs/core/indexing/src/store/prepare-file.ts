import { languageOf } from '@core/chunking';
import { throwIfAborted, type PreparedChunk, type ManifestEntry, type RepotideError } from '@core/domain';
import { type FileToFetch, type FileToSkip } from '../plan/plan.js';
import { faultOfOneFile, type FetchedFile } from '../read/read-files.js';
import { type SyncRun } from '../run/sync-run.js';

/** A file that is ready to be stored: its new manifest row and its chunks. */
export interface PreparedFile {
  /** The counter for the file once it is indexed. */
  change: 'added' | 'modified' | 'renamed';
  former: ManifestEntry | null;
  row: ManifestEntry;
  chunks: PreparedChunk[];
}

export function changeOf({ former }: FileToFetch): 'added' | 'modified' {
  return former ? 'modified' : 'added';
}

/** Classifies and chunks a file. A failure of this file alone becomes a failed row. */
export async function prepareFile(run: SyncRun, { file, content }: FetchedFile): Promise<PreparedFile> {
  throwIfAborted(run.signal);
  if (content.kind === 'failed') return failedFile(run, file, content.error);
  if (content.kind === 'too_large') return tooLargeFile(run, file, content.sizeBytes);
  try {
    return await chunkFile(run, file, content.bytes);
  } catch (thrown) {
    const error = faultOfOneFile(thrown, run.signal);
    run.ports.logger.warn({ path: file.entry.path, error_code: error.code }, 'file failed');
    return failedFile(run, file, error);
  }
}

async function chunkFile(run: SyncRun, file: FileToFetch, bytes: Uint8Array): Promise<PreparedFile> {
  const { id, maxFileBytes } = run.repository;
  const { secretsPolicy } = run.request;
  const job = { path: file.entry.path, bytes, maxFileBytes, ...run.chunking, secretsPolicy };
  const { skip, chunks, ...secrets } = await run.ports.contents.prepare(job, id, run.signal);
  const read = { ...secrets, sizeBytes: bytes.length };
  if (skip !== null) return skippedFile(run, { ...file, ...skip }, read);
  const indexed = { chunkCount: chunks.length, indexedAt: run.ports.clock.now() };
  return preparedFile(file, { ...blankRow(run, file), ...read, ...indexed }, chunks);
}

function tooLargeFile(run: SyncRun, file: FileToFetch, sizeBytes: number | null): PreparedFile {
  const found = sizeBytes === null ? 'more than' : `${sizeBytes} bytes,`;
  const detail = `${found} the limit of ${run.repository.maxFileBytes} bytes`;
  return skippedFile(run, { ...file, reason: 'too_large', detail }, { sizeBytes });
}

function preparedFile(file: FileToFetch, row: ManifestEntry, chunks: PreparedChunk[] = []): PreparedFile {
  return { change: changeOf(file), former: file.former, row, chunks };
}

function blankRow(run: SyncRun, { entry: { path, mode, blobSha } }: FileToFetch): ManifestEntry {
  return {
    ...{ path, mode, blobSha, fingerprint: run.fingerprint, language: languageOf(path) },
    ...{ sizeBytes: null, chunkCount: 0, indexedAt: null },
    ...{ skipReason: null, skipDetail: null, lastError: null },
    ...{ secretsFound: 0, secretDetail: null },
  };
}

/** @param read what was found when the file was read. */
export function skippedFile(
  run: SyncRun,
  file: FileToSkip,
  read: Partial<Pick<ManifestEntry, 'sizeBytes' | 'secretsFound' | 'secretDetail'>>,
): PreparedFile {
  const skip = { skipReason: file.reason, skipDetail: file.detail };
  return preparedFile(file, { ...blankRow(run, file), ...read, ...skip });
}

/** Keeps the path's points. The next run retries the file because of `lastError`. */
export function failedFile(run: SyncRun, file: FileToFetch, error: RepotideError): PreparedFile {
  const base = file.former?.indexedAt ? file.former : blankRow(run, file);
  return preparedFile(file, { ...base, lastError: `${error.code}: ${error.message}` });
}
