import { Readable } from 'node:stream';

/**
 * A stream of pieces, the first of which has been read: a database that does not answer is still told in a status. Reads
 * on only as fast as it is read, and ends the source when it is destroyed.
 */
export async function startedStream(pieces: AsyncIterable<string>): Promise<Readable> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncIterable<string> {
    try {
      for (let piece = first; piece.done !== true; piece = await iterator.next()) yield piece.value;
    } finally {
      await iterator.return?.();
    }
  }
  return Readable.from(all(), { objectMode: false });
}
