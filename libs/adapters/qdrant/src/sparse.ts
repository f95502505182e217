import { type Schemas } from '@qdrant/js-client-rest';
import { type Terms } from '@core/domain';

/** The sparse vector of the lexical lane. The server multiplies its weights with the rarity of each term. */
export const TERMS = 'terms';
export const TERMS_CONFIG = { modifier: 'idf' as const };

export function hasTermsIn(info: Schemas['CollectionInfo']): boolean {
  return info.config.params.sparse_vectors?.[TERMS] !== undefined;
}

export function sparseOf({ ids, weights }: Terms): Schemas['SparseVector'] {
  // Four digits rank the same, and a third of the request's bytes are these numbers.
  const values = numbersOf(weights);
  for (let index = 0; index < values.length; index++) values[index] = Math.round(values[index]! * 1e4) / 1e4;
  return { indices: numbersOf(ids), values };
}

/** `Array.from` would make an object for each number. */
export function numbersOf(values: Float32Array | Uint32Array): number[] {
  const numbers: number[] = [];
  for (let index = 0; index < values.length; index++) numbers.push(values[index]!);
  return numbers;
}
