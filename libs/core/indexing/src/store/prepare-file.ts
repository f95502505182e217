import { languageOf, readText, screenText, type Chunker, type ScreenedText } from '@core/chunking';
import { throwIfAborted, type Chunk, type ManifestEntry, type RepotideError } from '@core/domain';
import { type FileToFetch, type FileToSkip } from '../plan/plan.js';
import { faultOfOneFile, type FetchedFile } from '../read/read-files.js';
import { type SyncRun } from '../run/sync-run.js';

/** A file that is ready to be stored: its new manifest row and its chunks. */
export interface PreparedFile {
  /** The counter for the file once it is indexed. */
  change: 'added' | 'modified' | 'renamed';
  former: ManifestEntry | null;
  row: ManifestEntry;
  chunks: Chunk[];
}

export function changeOf({ former }: FileToFetch): 'added' | 'modified' {
  return former ? 'modified' : 'added';
}

/** Classifies and chunks a file. A failure of this file alone becomes a failed row. */
export function prepareFile(run: SyncRun, chunker: Chunker, { file, content }: FetchedFile): PreparedFile {
  throwIfAborted(run.signal);
  if (content.kind === 'failed') return failedFile(run, file, content.error);
  if (content.kind === 'too_large') return tooLargeFile(run, file, content.sizeBytes);
  try {
    return chunkFile(run, chunker, file, content.bytes);
  } catch (thrown) {
    const error = faultOfOneFile(thrown, run.signal);
    run.ports.logger.warn({ path: file.entry.path, error_code: error.code }, 'file failed');
    return failedFile(run, file, error);
  }
}

function chunkFile(run: SyncRun, chunker: Chunker, file: FileToFetch, bytes: Uint8Array): PreparedFile {
  const { path } = file.entry;
  const read = readText(bytes, { path, maxFileBytes: run.repository.maxFileBytes });
  if (read.kind === 'skipped') {
    return skippedFile(run, { ...file, reason: read.reason, detail: read.detail }, bytes.length);
  }
  const { secretsPolicy } = run.request;
  const { text, ...secrets } = screenText(read.text, secretsPolicy, read.fileLines);
  if (secretsPolicy === 'skip' && secrets.secretsFound > 0) {
    const skipped = skippedFile(run, { ...file, reason: 'secret', detail: secrets.detail }, bytes.length);
    return withSecrets(skipped, secrets);
  }
  const chunks = chunker.split(text, path, read.fileLines);
  if (chunks.length === 0) {
    return skippedFile(run, { ...file, reason: 'empty', detail: 'only whitespace' }, bytes.length);
  }
  const size = { sizeBytes: bytes.length, chunkCount: chunks.length };
  const row = { ...blankRow(run, file), ...size, indexedAt: run.ports.clock.now() };
  return withSecrets({ change: changeOf(file), former: file.former, chunks, row }, secrets);
}

function withSecrets(file: PreparedFile, secrets: Omit<ScreenedText, 'text'>): PreparedFile {
  const { secretsFound, detail } = secrets;
  return { ...file, row: { ...file.row, secretsFound, secretDetail: detail } };
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
