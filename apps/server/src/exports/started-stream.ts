import { Readable } from 'node:stream';

/**
 * A stream of the pieces. Reads the first piece before it returns, so that an error of the database can still become a
 * status code. Respects backpressure, and closes the source when the stream is destroyed.
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
