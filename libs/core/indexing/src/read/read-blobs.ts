import { pMapIterable } from 'p-map';
import { RepotideError, throwIfAborted, toRepotideError } from '@core/domain';
import { isFaultOfOneFile } from '../run/file-fault.js';
import { blobIdOf } from '../run/object-id.js';
import { type FileToFetch } from '../plan/plan.js';
import { type FetchedFile, type Reading } from './reading.js';

/**
 * Reads what is still wanted blob by blob: any bytes of any size, by the id alone. A fault of one blob fails its files;
 * a fault that would hit every blob (token, limit, host down for long) is thrown.
 */
export async function* readBlobs(reading: Reading): AsyncGenerator<FetchedFile> {
  const { run, wanted } = reading;
  if (wanted.size === 0) return;
  run.ways.enter('blobs');
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

async function readBlob({ run, signal }: Reading, file: FileToFetch): Promise<FetchedFile> {
  const { blobSha, path } = file.entry;
  const { maxFileBytes, projectId } = run.repository;
  throwIfAborted(signal);
  try {
    const content = await run.ports.source.readBlob(projectId, blobSha, maxFileBytes, signal);
    if (content.kind === 'bytes') assertSameBlob(content.bytes, blobSha);
    return { file, content };
  } catch (thrown) {
    // A fired signal makes calls fail in many ways; none of them is the file's fault.
    throwIfAborted(signal);
    const error = toRepotideError(thrown);
    if (!isFaultOfOneFile(error)) throw error;
    run.ports.logger.warn({ path, error_code: error.code }, 'file could not be read');
    return { file, content: { kind: 'failed', error } };
  }
}

function assertSameBlob(bytes: Uint8Array, blobSha: string): void {
  const found = blobIdOf(bytes, blobSha);
  if (found === blobSha) return;
  throw new RepotideError(
    'temporary',
    'blob_sha_mismatch',
    `The code host answered bytes whose git SHA is ${found}; asked for was ${blobSha}.`,
  );
}
