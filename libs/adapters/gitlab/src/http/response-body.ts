import { type IncomingHttpHeaders } from 'node:http';
import { type Readable } from 'node:stream';
import { type BlobContent } from '@core/domain';
import { deadlineExceeded } from './deadline.js';

/** 64 KiB a second; below that rate an archive takes too long to be useful. */
const MIN_BYTES_PER_MS = 64;

/**
 * Reads a body of at most `maxBytes`. Drops the connection as soon as the body proves to be longer.
 * @param onBytes is called with the size of every chunk that arrived.
 */
export async function readBody(
  { headers, body }: { headers: IncomingHttpHeaders; body: Readable },
  maxBytes: number,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<BlobContent> {
  const declared = numberOf(headers['content-length']);
  if (declared !== null && declared > maxBytes) {
    dropBody(body);
    return { kind: 'too_large', sizeBytes: declared };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onBytes(chunk.length);
    length += chunk.length;
    // Leaving the loop destroys the stream.
    if (length > maxBytes) return { kind: 'too_large', sizeBytes: declared };
    chunks.push(chunk);
  }
  return { kind: 'bytes', bytes: Buffer.concat(chunks, length) };
}

/**
 * Passes on a body of any length, however slowly the caller reads it. Only the time spent waiting for the server is
 * limited: to `graceMs`, plus the time that the bytes so far take at the lowest rate. A slow drip is cut off; a large
 * archive is not.
 * @param onBytes is called with the size of every chunk that arrived.
 * @throws temporary `source_unavailable`.
 */
export async function* streamBody(
  body: Readable,
  graceMs: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const waitsSince = performance.now();
      const next = await chunks.next();
      if (next.done === true) return;
      waitedMs += performance.now() - waitsSince;
      bytes += next.value.length;
      onBytes(next.value.length);
      if (waitedMs > graceMs + bytes / MIN_BYTES_PER_MS) throw deadlineExceeded(Math.round(waitedMs));
      yield next.value;
    }
  } finally {
    dropBody(body);
  }
}

/** Drops a body unread. A destroyed body emits an error, which needs a listener. */
export function dropBody(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

/** A header that is a whole number; null when it is absent or anything else. */
export function numberOf(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,12}$/.test(header.trim()) ? Number(header) : null;
}

/** Undefined for text that is not JSON. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
