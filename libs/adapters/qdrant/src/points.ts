import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError, type Point, type PointPayload, type StoredPoint } from '@core/domain';

/** Payload fields of a {@link StoredPoint}. */
export const LISTED_FIELDS = ['path', 'blob_sha', 'file_version', 'chunk_index', 'fence'];
export const LISTED_WITH_TEXT = [...LISTED_FIELDS, 'content_hash', 'text'];

export function toPointStruct({ id, vector, payload }: Point): Schemas['PointStruct'] {
  // Half a surrogate pair, as a cut through an emoji leaves it, is refused by the server's JSON parser.
  const text = payload.text.toWellFormed();
  return { id, vector: Array.from(vector), payload: { ...payload, text } };
}

/** Vectors come back as unit vectors: Qdrant normalises for Cosine when it stores. */
export function pointOf(record: Schemas['Record']): Point {
  const { vector } = record;
  if (!Array.isArray(vector)) throw foreignPoint(record.id);
  return {
    id: String(record.id),
    vector: Float32Array.from(vector as number[]),
    payload: payloadOf(record.id, record.payload),
  };
}

export function storedPointOf(record: Schemas['Record']): StoredPoint {
  return { id: String(record.id), ...payloadOf(record.id, record.payload) };
}

/** Points are found by fields that only our own writes fill, so the rest of the payload is ours as well. */
export function payloadOf(id: Schemas['ExtendedPointId'], payload: unknown): PointPayload {
  if (typeof payload !== 'object' || payload === null) throw foreignPoint(id);
  return payload as PointPayload;
}

function foreignPoint(id: Schemas['ExtendedPointId']): RepotideError {
  return new RepotideError(
    'conflict',
    'collection_mismatch',
    `Point ${id} was not written by Repotide: it lacks payload or vector. Use a collection of its own.`,
  );
}
