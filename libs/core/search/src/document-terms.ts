import { type Terms } from '@core/domain';
import { definedNames } from './definitions.js';
import { hashOf } from './hash.js';
import { wordOf, wordsOf } from './words.js';

/** What a term is: the same word weighs differently as a name, as a part of names, or where it is defined. */
export const KIND = { name: 'n', part: 'p', defined: 'd', spelled: 's', path: 'f' } as const;

/** BM25: how soon a repeated word says nothing more, and how much a long text counts as one that repeats everything. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** Words of a usual chunk; fixed, so that a text's weights do not depend on others. */
const USUAL_LENGTH = 250;
/** A defined name's parts count as if they stood there so many times more. */
const DEFINED_TIMES = 2;

/** The terms of a chunk; each chunk has at least those of its path. A change of any weight needs another {@link LANE}. */
export function termsOf({ path, text }: { path: string; text: string }): Terms {
  const words = wordsOf(text);
  const counts = new Map<number, number>();
  for (const { name, parts } of words) {
    add(counts, KIND.name, name, 1);
    for (const part of parts) add(counts, KIND.part, part, 1);
  }
  const defined = new Set(definedNames(text));
  for (const spelling of defined) {
    for (const part of wordOf(spelling).parts) add(counts, KIND.part, part, DEFINED_TIMES);
  }
  const share = 1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / USUAL_LENGTH;
  const weights = new Map<number, number>();
  for (const [id, count] of counts) {
    weights.set(id, (count * (SATURATION + 1)) / (count + SATURATION * share));
  }
  for (const spelling of defined) {
    weights.set(hashOf(KIND.defined, wordOf(spelling).name), 1);
    weights.set(hashOf(KIND.spelled, spelling), 1);
  }
  for (const [term, weight] of pathTerms(path)) weights.set(hashOf(KIND.path, term), weight);
  return termsFrom(weights);
}

/** The names and parts of a path; those of the file weigh more than those of its folders. */
function pathTerms(path: string): Map<string, number> {
  const terms = new Map<string, number>();
  const names = path.split('/');
  names.forEach((spelling, depth) => {
    const weight = depth === names.length - 1 ? 1 : 0.4;
    const bare = spelling.replace(/(?<=.)\.[^.]*$/, '');
    for (const { name, parts } of [spelling, bare].flatMap((each) => [wordOf(each), ...wordsOf(each)])) {
      for (const term of [name, ...parts]) terms.set(term, Math.max(weight, terms.get(term) ?? 0));
    }
  });
  return terms;
}

export function termsFrom(weights: ReadonlyMap<number, number>): Terms {
  const ids = Uint32Array.from(weights.keys()).sort();
  return { ids, weights: Float32Array.from(ids, (id) => weights.get(id)!) };
}

function add(counts: Map<number, number>, kind: string, term: string, times: number): void {
  if (term === '') return;
  const id = hashOf(kind, term);
  counts.set(id, (counts.get(id) ?? 0) + times);
}
