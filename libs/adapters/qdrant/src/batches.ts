import { RepotideError, type Point } from '@core/domain';

/** Read anew for each batch: they may shrink on the way. */
export interface BatchLimits {
  bytes: number;
  points: number;
}

/** Longest float32 in JSON, widened to a double, with its comma: `-1.2345678901234567e-38,`. */
const BYTES_PER_NUMBER = 24;
/** Names and brackets around a point. */
const BYTES_AROUND_POINT = 100;

/**
 * Cuts points, in their order, into requests within the limits. A point above the byte limit goes alone. One request
 * holds points of one fence, because the guard of an upsert compares with one number.
 */
export function* batchesOf(points: readonly Point[], limits: BatchLimits): Generator<Point[]> {
  let batch: Point[] = [];
  let bytes = 0;
  for (const point of points) {
    const size = sizeOf(point);
    const isFull = batch.length >= limits.points || bytes + size > limits.bytes;
    const isOtherFence = batch[0] !== undefined && batch[0].payload.fence !== point.payload.fence;
    if (batch.length > 0 && (isFull || isOtherFence)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(point);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

export function* groupsOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Upper bound, so that no second serialisation of the vector is needed. */
function sizeOf(point: Point): number {
  const payloadBytes = Buffer.byteLength(JSON.stringify(point.payload));
  return payloadBytes + point.vector.length * BYTES_PER_NUMBER + BYTES_AROUND_POINT;
}

/**
 * Sends items in one request; when the server finds it too large (413, or 400 as strict mode answers a batch or
 * condition limit), in halves, down to single items. A 400 for another reason costs log2(n) requests and then surfaces.
 * @returns the sum of what `send` returned.
 */
export async function sendInHalves<T>(
  items: readonly T[],
  send: (items: readonly T[]) => Promise<number>,
): Promise<number> {
  try {
    return await send(items);
  } catch (error) {
    if (items.length < 2 || !mayBeTooLarge(error)) throw error;
    const middle = Math.ceil(items.length / 2);
    const first = await sendInHalves(items.slice(0, middle), send);
    return first + (await sendInHalves(items.slice(middle), send));
  }
}

function mayBeTooLarge(error: unknown): boolean {
  if (!(error instanceof RepotideError)) return false;
  return error.code === 'vector_store_request_too_large' || error.details['status'] === 400;
}
