import { languageOf, readText, type Chunker } from '@core/chunking';
import { RepotideError, throwIfAborted, toRepotideError, type Chunk, type ManifestEntry } from '@core/domain';
import { gitBlobSha } from './identity.js';
import { type FileToFetch, type FileToSkip } from './plan.js';
import { type SyncRun } from './sync-run.js';

/** A file that is ready to be stored: its new manifest row and the chunks behind it. */
export interface PreparedFile {
  /** Which counter it belongs to when it ends up indexed. */
  change: 'added' | 'modified' | 'renamed';
  former: ManifestEntry | null;
  row: ManifestEntry;
  chunks: Chunk[];
}

export function changeOf({ former }: FileToFetch): 'added' | 'modified' {
  return former ? 'modified' : 'added';
}

/**
 * fetch -> verify -> classify -> chunk. A fault of this one file becomes a failed row; a fault that would hit every
 * file (token, limit, lost lease, host down for long) is thrown.
 */
export async function prepareFile(run: SyncRun, chunker: Chunker, file: FileToFetch): Promise<PreparedFile> {
  throwIfAborted(run.signal);
  try {
    return await readAndChunk(run, chunker, file);
  } catch (thrown) {
    // A fired signal makes calls fail in many ways; none of them is the file's fault.
    throwIfAborted(run.signal);
    const error = toRepotideError(thrown);
    if (!isFaultOfOneFile(error)) throw error;
    run.ports.logger.warn({ path: file.entry.path, error_code: error.code }, 'file failed');
    return failedFile(run, file, error);
  }
}

async function readAndChunk(run: SyncRun, chunker: Chunker, file: FileToFetch): Promise<PreparedFile> {
  const { entry } = file;
  const { maxFileBytes, projectId } = run.repository;
  const blob = await run.ports.source.readBlob(projectId, entry.blobSha, maxFileBytes, run.signal);
  if (blob.kind === 'too_large') {
    const found = blob.sizeBytes === null ? 'more than' : `${blob.sizeBytes} bytes,`;
    const detail = `${found} the limit of ${maxFileBytes} bytes`;
    return skippedFile(run, { ...file, reason: 'too_large', detail }, blob.sizeBytes);
  }
  assertSameBlob(blob.bytes, entry.blobSha);
  const text = readText(blob.bytes, { maxFileBytes });
  if (text.kind === 'skipped') {
    return skippedFile(run, { ...file, reason: text.reason, detail: text.detail }, blob.bytes.length);
  }
  const chunks = await chunker.split(text.text, entry.path);
  if (chunks.length === 0) {
    return skippedFile(run, { ...file, reason: 'empty', detail: 'only white space' }, blob.bytes.length);
  }
  const row = { ...blankRow(run, file), sizeBytes: blob.bytes.length, chunkCount: chunks.length };
  return {
    change: changeOf(file),
    former: file.former,
    chunks,
    row: { ...row, indexedAt: run.ports.clock.now() },
  };
}

function assertSameBlob(bytes: Uint8Array, blobSha: string): void {
  const found = gitBlobSha(bytes);
  if (found === blobSha) return;
  throw new RepotideError(
    'temporary',
    'blob_sha_mismatch',
    `The code host answered bytes whose git SHA is ${found}; asked for was ${blobSha}.`,
  );
}

function isFaultOfOneFile({ kind, code }: RepotideError): boolean {
  switch (kind) {
    case 'not_found':
      // The project itself is gone or hidden: every further file would answer the same.
      return code !== 'project_not_found';
    case 'temporary':
    case 'invalid':
    case 'internal':
      return true;
    case 'rate_limited':
    case 'unauthorized':
    case 'forbidden':
    case 'conflict':
    case 'cancelled':
    case 'fence_lost':
      return false;
  }
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
  };
}

export function skippedFile(run: SyncRun, file: FileToSkip, sizeBytes: number | null): PreparedFile {
  const row = { ...blankRow(run, file), sizeBytes, skipReason: file.reason, skipDetail: file.detail };
  return { change: changeOf(file), former: file.former, chunks: [], row };
}

/** The store keeps what it holds of the path; the next run tries again because of `lastError`. */
export function failedFile(run: SyncRun, file: FileToFetch, error: RepotideError): PreparedFile {
  const base = file.former?.indexedAt ? file.former : blankRow(run, file);
  const row = { ...base, lastError: `${error.code}: ${error.message}` };
  return { change: changeOf(file), former: file.former, chunks: [], row };
}
