import { type IncomingHttpHeaders } from 'node:http';
import { type Readable } from 'node:stream';
import { type BlobContent } from '@core/domain';

/**
 * Reads a body of at most `maxBytes`, and drops the connection as soon as it is known to be longer.
 * @param count is told of every chunk that arrived.
 */
export async function readBody(
  answer: { headers: IncomingHttpHeaders; body: Readable },
  maxBytes: number,
  count: (bytes: number) => void,
): Promise<BlobContent> {
  const { body } = answer;
  const declared = declaredLength(answer.headers);
  if (declared !== null && declared > maxBytes) {
    dropBody(body);
    return { kind: 'too_large', sizeBytes: declared };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    count(chunk.length);
    length += chunk.length;
    // Leaving the loop destroys the stream.
    if (length > maxBytes) return { kind: 'too_large', sizeBytes: declared };
    chunks.push(chunk);
  }
  return { kind: 'bytes', bytes: Buffer.concat(chunks, length) };
}

/** Gives up a body unread. Destroying one makes it emit an error, which nobody else would hear. */
export function dropBody(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function declaredLength(headers: IncomingHttpHeaders): number | null {
  const value = headers['content-length'];
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : null;
}
