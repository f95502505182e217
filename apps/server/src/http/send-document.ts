import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Response } from 'express';
import { type Logger } from '@core/domain';

/** Streams a document to a client. Reads the next piece only after the client has received the previous one. */
export async function sendDocument(
  response: Response,
  pieces: AsyncIterable<string>,
  { type, name }: { type: string; name: string },
  logger: Logger,
): Promise<void> {
  const document = await startedStream(pieces);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  response.setHeader('Cache-Control', 'no-store');
  try {
    await pipeline(document, response);
  } catch (error) {
    // The status is already sent, so the pipeline has broken the connection to show that the document is incomplete.
    logger.warn({ err: error }, 'Export broke off');
  }
}

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
