import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError, type Point, type PointPayload, type StoredPoint, type Terms } from '@core/domain';

/** The name of the vector without a name. */
const DENSE = '';
/** The sparse vector of the lexical lane. The server multiplies its weights with the rarity of each term. */
export const TERMS = 'terms';
export const TERMS_CONFIG = { modifier: 'idf' as const };

/** Payload fields of a {@link StoredPoint}. */
export const LISTED_FIELDS = ['path', 'blob_sha', 'file_version', 'chunk_index', 'fence'];

/** @param withTerms whether the collection has the lexical lane. */
export function toPointStruct(
  { id, vector, terms, payload }: Point,
  withTerms: boolean,
): Schemas['PointStruct'] {
  // The server's JSON parser refuses half a surrogate pair, which a cut through an emoji leaves.
  const text = payload.text.toWellFormed();
  const dense = numbersOf(vector);
  const vectors = withTerms && terms ? { [DENSE]: dense, [TERMS]: sparseOf(terms) } : dense;
  return { id, vector: vectors, payload: { ...payload, text } };
}

/** The vector has length 1: Qdrant normalizes for Cosine when it stores. */
export function pointOf(record: Schemas['Record']): Point {
  const { dense, terms } = vectorsOf(record.vector);
  if (!Array.isArray(dense)) throw foreignPoint(record.id);
  return {
    id: String(record.id),
    vector: Float32Array.from(dense as number[]),
    terms: terms && { ids: Uint32Array.from(terms.indices), weights: Float32Array.from(terms.values) },
    payload: payloadOf(record.id, record.payload),
  };
}

/** A vector that is alone comes without its name. */
function vectorsOf(vector: Schemas['Record']['vector']) {
  const isAlone = typeof vector !== 'object' || vector === null || Array.isArray(vector);
  const named: Record<string, unknown> = isAlone ? { [DENSE]: vector } : vector;
  return { dense: named[DENSE], terms: (named[TERMS] as Schemas['SparseVector'] | undefined) ?? null };
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
  const message = `Point ${id} was not written by Repotide: its payload or vector is missing. Use a separate collection for Repotide.`;
  return new RepotideError('conflict', 'collection_mismatch', message);
}

export function sparseOf({ ids, weights }: Terms): Schemas['SparseVector'] {
  // Four digits rank the same, and a third of the request's bytes are these numbers.
  const values = numbersOf(weights);
  for (let index = 0; index < values.length; index++) values[index] = Math.round(values[index]! * 1e4) / 1e4;
  return { indices: numbersOf(ids), values };
}

/** `Array.from` would make an object for each number. */
function numbersOf(values: Float32Array | Uint32Array): number[] {
  const numbers: number[] = [];
  for (let index = 0; index < values.length; index++) numbers.push(values[index]!);
  return numbers;
}
