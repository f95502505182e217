import { type Terms } from '@core/domain';
import { hashOf, KIND } from './hash.js';
import { TermWeights } from './term-weights.js';
import { wordsOf } from './words.js';

/** - name: one word, such as an identifier, a path or a number: what has this name comes first.
 *  - question: several words: meaning and the names that a text defines count as well. */
export type QueryKind = 'name' | 'question';

export interface Query {
  kind: QueryKind;
  terms: Terms;
}

/** A word that only code has: camelCase, snake_case, dots or digits inside. */
const CODE_WORD = /[a-z][A-Z]|[\w$][_$]\w|\w\.\w|[A-Za-z]\d|::|\(\)/;

const WEIGHTS = {
  name: { name: 1, defined: 3, spelled: 1, part: 0.25, path: 0.5 },
  question: { name: 0.3, defined: 0.5, spelled: 0, part: 1, path: 0.5 },
};

export function queryOf(text: string): Query {
  const spellings = text.trim().split(/\s+/);
  const kind = kindOf(text);
  const weights = new Map<number, number>();
  const add = (id: number, weight: number) => weights.set(id, Math.max(weight, weights.get(id) ?? 0));
  for (const spelling of spellings) {
    const weight = WEIGHTS[kind === 'name' || CODE_WORD.test(spelling) ? 'name' : 'question'];
    if (weight.spelled > 0) add(hashOf(KIND.spelled, spelling), weight.spelled);
    for (const { name, parts } of wordsOf(spelling)) {
      if (parts.length > 0) {
        add(hashOf(KIND.name, name), weight.name);
        add(hashOf(KIND.defined, name), weight.defined);
        add(hashOf(KIND.path, name), weight.path);
      }
      for (const part of parts) {
        add(hashOf(KIND.part, part), weight.part);
        add(hashOf(KIND.path, part), weight.path);
      }
    }
  }
  const terms = new TermWeights();
  for (const [id, weight] of weights) terms.set(id, weight);
  return { kind, terms: terms.take() };
}

export function kindOf(query: string): QueryKind {
  return /\s/.test(query.trim()) ? 'question' : 'name';
}
