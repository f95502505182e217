import { readArchive } from './read-archive.js';
import { readBatches } from './read-batches.js';
import { readBlobs } from './read-blobs.js';
import { type FetchedFile, type Reading } from './reading.js';

/**
 * Reads every wanted file, in the cheapest way first: each way takes what it can prove and leaves the rest to the
 * next, so that no way needs to be complete, or to be there at all. The last one always is. Once the run's budget is
 * spent nothing more is asked for.
 */
export async function* readContents(reading: Reading): AsyncGenerator<FetchedFile> {
  for (const readSome of [readArchive, readBatches, readBlobs]) {
    if (reading.isOver()) return;
    yield* readSome(reading);
  }
}
