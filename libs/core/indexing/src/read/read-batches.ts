import { pMapIterable } from 'p-map';
import { BATCH_PATHS } from '@core/domain';
import { blobIdOf } from '../run/object-id.js';
import { type FetchedFile, type Reading } from './reading.js';

/** Each may hold some megabytes. */
const BATCHES_AT_ONCE = 2;

/**
 * Reads wanted files as text, many a request. What is binary, of another encoding or too long for a batch does not
 * come, or does not come with the right id: it stays wanted.
 */
export async function* readBatches(reading: Reading): AsyncGenerator<FetchedFile> {
  const { run, wanted } = reading;
  if (wanted.size < run.request.limits.batchFromFiles || run.ways.isClosed('graphql')) return;
  run.ways.enter('graphql');
  const { maxFileBytes } = run.repository;
  const batches = pMapIterable(batchesOf(reading), (paths) => readBatch(reading, paths), {
    concurrency: BATCHES_AT_ONCE,
  });
  for await (const texts of batches) {
    for (const bytes of texts) {
      const sizeBytes = bytes.length;
      const files = wanted.take(blobIdOf(bytes, wanted.anyBlobSha));
      for (const file of files) {
        const isTooLarge = sizeBytes > maxFileBytes;
        yield { file, content: isTooLarge ? { kind: 'too_large', sizeBytes } : { kind: 'bytes', bytes } };
      }
    }
  }
}

function* batchesOf({ run, wanted, isOver }: Reading): Generator<string[]> {
  const files = wanted.onePerBlob();
  const mayGoOn = (): boolean => !isOver() && !run.ways.isClosed('graphql');
  for (let start = 0; start < files.length && mayGoOn(); start += BATCH_PATHS) {
    yield files.slice(start, start + BATCH_PATHS).map(({ entry }) => entry.path);
  }
}

async function readBatch(
  { run, commit, signal }: Reading,
  paths: readonly string[],
): Promise<Iterable<Uint8Array>> {
  try {
    return (await run.ports.source.readTexts(run.project, commit, paths, signal)).values();
  } catch (thrown) {
    run.ways.leave(thrown, signal);
    return [];
  }
}
