import { type Terms } from '@core/domain';

/** To compare terms with stored ones: a store may round weights to four digits. */
export function roundedTerms(terms: Terms | null) {
  if (terms === null) return null;
  return { ids: terms.ids, weights: Array.from(terms.weights, (weight) => Math.round(weight * 1e4) / 1e4) };
}
