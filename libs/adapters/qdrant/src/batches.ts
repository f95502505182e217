import { RepotideError, type Point, type SearchFilter } from '@core/domain';

/** Read again for each batch, because `points` may shrink. */
export interface BatchLimits {
  bytes: number;
  points: number;
}

/** Longest float32 in JSON, widened to a double, with its comma: `-1.2345678901234567e-38,`. */
const BYTES_PER_NUMBER = 24;
/** A term's id with its weight. */
const BYTES_PER_TERM = 36;
/** JSON around a point: names and brackets. */
const BYTES_AROUND_POINT = 100;

/**
 * Splits points, in order, into requests within the limits. A point above the byte limit is sent alone. All points of
 * a request have one fence, because the `update_filter` of an upsert compares with one number.
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

/** An upper limit, without serializing the vector. */
function sizeOf(point: Point): number {
  const termBytes = (point.terms?.ids.length ?? 0) * BYTES_PER_TERM;
  const payloadBytes = Buffer.byteLength(JSON.stringify(point.payload));
  return payloadBytes + point.vector.length * BYTES_PER_NUMBER + termBytes + BYTES_AROUND_POINT;
}

/**
 * Sends items in one request. When the server finds it too large (413, or 400 for the limits of strict mode), sends
 * halves, down to single items. A 400 for another reason costs log2(n) requests and is then thrown.
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

export function mayBeTooLarge(error: unknown): error is RepotideError {
  if (!(error instanceof RepotideError) || error.code === 'vector_store_full') return false;
  return error.code === 'vector_store_request_too_large' || error.details['status'] === 400;
}

/**
 * The repositories of a filter in two halves, after the server refused the filter: strict mode may limit the values of one
 * condition (`condition_max_size`). Null: the filter has fewer than two, so another reason is likely.
 */
export function halvesOf(filter: SearchFilter): [SearchFilter, SearchFilter] | null {
  const ids = filter.repositoryIds ?? [];
  if (ids.length < 2) return null;
  const middle = Math.ceil(ids.length / 2);
  const head = { ...filter, repositoryIds: ids.slice(0, middle) };
  return [head, { ...filter, repositoryIds: ids.slice(middle) }];
}
