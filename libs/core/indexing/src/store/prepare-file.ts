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
  const prepared =
    skip === null
      ? indexedFile(run, file, bytes.length, chunks)
      : skippedFile(run, { ...file, ...skip }, bytes.length);
  return { ...prepared, row: { ...prepared.row, ...secrets } };
}

function indexedFile(
  run: SyncRun,
  file: FileToFetch,
  sizeBytes: number,
  chunks: PreparedChunk[],
): PreparedFile {
  const indexed = { sizeBytes, chunkCount: chunks.length, indexedAt: run.ports.clock.now() };
  const row = { ...blankRow(run, file), ...indexed };
  return { change: changeOf(file), former: file.former, chunks, row };
}

function tooLargeFile(run: SyncRun, file: FileToFetch, sizeBytes: number | null): PreparedFile {
  const { maxFileBytes } = run.repository;
  const found = sizeBytes === null ? 'more than' : `${sizeBytes} bytes,`;
  const detail = `${found} the limit of ${maxFileBytes} bytes`;
  return skippedFile(run, { ...file, reason: 'too_large', detail }, sizeBytes);
}

function blankRow(run: SyncRun, { entry }: FileToFetch): ManifestEntry {
  return {
    path: entry.path,
    mode: entry.mode,
    blobSha: entry.blobSha,
    fingerprint: run.fingerprint,
    sizeBytes: null,
    language: languageOf(entry.path),
    chunkCount: 0,
    indexedAt: null,
    skipReason: null,
    skipDetail: null,
    lastError: null,
    secretsFound: 0,
    secretDetail: null,
  };
}

export function skippedFile(run: SyncRun, file: FileToSkip, sizeBytes: number | null): PreparedFile {
  const row = { ...blankRow(run, file), sizeBytes, skipReason: file.reason, skipDetail: file.detail };
  return { change: changeOf(file), former: file.former, chunks: [], row };
}

/** Keeps the path's points. The next run retries the file because of `lastError`. */
export function failedFile(run: SyncRun, file: FileToFetch, error: RepotideError): PreparedFile {
  const base = file.former?.indexedAt ? file.former : blankRow(run, file);
  const row = { ...base, lastError: `${error.code}: ${error.message}` };
  return { change: changeOf(file), former: file.former, chunks: [], row };
}
