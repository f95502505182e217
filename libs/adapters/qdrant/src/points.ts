import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError, type Point, type PointPayload, type StoredPoint } from '@core/domain';

/** Payload fields of a {@link StoredPoint}. */
export const LISTED_FIELDS = ['path', 'blob_sha', 'file_version', 'chunk_index', 'fence'];

export function toPointStruct({ id, vector, payload }: Point): Schemas['PointStruct'] {
  // The server's JSON parser refuses half a surrogate pair, which a cut through an emoji leaves.
  const text = payload.text.toWellFormed();
  return { id, vector: Array.from(vector), payload: { ...payload, text } };
}

/** The vector has length 1: Qdrant normalizes for Cosine when it stores. */
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

/** Points are found by fields that only Repotide writes, so the rest of the payload has its types as well. */
export function payloadOf(id: Schemas['ExtendedPointId'], payload: unknown): PointPayload {
  if (typeof payload !== 'object' || payload === null) throw foreignPoint(id);
  return payload as PointPayload;
}

function foreignPoint(id: Schemas['ExtendedPointId']): RepotideError {
  return new RepotideError(
    'conflict',
    'collection_mismatch',
    `Point ${id} was not written by Repotide: its payload or vector is missing. Use a separate collection for Repotide.`,
  );
}
