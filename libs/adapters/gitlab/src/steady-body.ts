import { type Readable } from 'node:stream';
import { tooSlow } from './deadline.js';
import { dropBody } from './body.js';

/** Slower than any network that a sync of whole archives makes sense on: 64 KiB a second. */
const SLOWEST_BYTES_PER_MS = 64;

/**
 * Passes a body on. Its length and the time the reader takes are unbounded; the time spent waiting for the other side
 * is not: `graceMs`, and what the bytes so far take at the slowest rate that is borne. So a drip ends, and a large
 * archive does not.
 * @param count is told of every chunk that arrived.
 * @throws temporary `source_unavailable`.
 */
export async function* readSteadily(
  body: Readable,
  graceMs: number,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const askedAt = performance.now();
      const next = await chunks.next();
      if (next.done === true) return;
      const { value } = next;
      waitedMs += performance.now() - askedAt;
      bytes += value.length;
      count(value.length);
      if (waitedMs > graceMs + bytes / SLOWEST_BYTES_PER_MS) throw tooSlow(Math.round(waitedMs));
      yield value;
    }
  } finally {
    dropBody(body);
  }
}
