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
  return {
    indices: Array.from(ids),
    values: Array.from(weights, (weight) => Math.round(weight * 1e4) / 1e4),
  };
}
