import { type Terms } from '@core/domain';
import { definedNames } from './definitions.js';
import { hashOf, KIND } from './hash.js';
import { countWords, wordOf, wordsOf } from './words.js';

/** BM25: how soon a repeated word says nothing more, and how much a long text counts as one that repeats everything. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** Words of a usual chunk; fixed, so that a text's weights do not depend on others. */
const USUAL_LENGTH = 250;
/** A defined name's parts count as if they stood there so many times more. */
const DEFINED_TIMES = 2;

/** The terms of a chunk; each chunk has at least those of its path. A change of any weight needs another {@link LANE}. */
export function termsOf({ path, text }: { path: string; text: string }): Terms {
  const counts = new Map<number, number>();
  const count = (id: number, times: number) => counts.set(id, (counts.get(id) ?? 0) + times);
  let length = 0;
  for (const { word, times } of countWords(text)) {
    length += times;
    for (const id of word.terms) count(id, times);
  }
  const defined = new Set(definedNames(text));
  for (const spelling of defined)
    for (const part of wordOf(spelling).parts) count(hashOf(KIND.part, part), DEFINED_TIMES);
  const share = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / USUAL_LENGTH);
  const fixed = new Map<number, number>();
  for (const spelling of defined) {
    fixed.set(hashOf(KIND.defined, wordOf(spelling).name), 1);
    fixed.set(hashOf(KIND.spelled, spelling), 1);
  }
  for (const [term, weight] of pathTerms(path)) fixed.set(hashOf(KIND.path, term), weight);
  for (const id of fixed.keys()) counts.set(id, 0);
  return termsFrom(counts, (id, times) => fixed.get(id) ?? (times * (SATURATION + 1)) / (times + share));
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

/** The terms that have a value, by their ids, each with the weight of its value. */
export function termsFrom(
  values: ReadonlyMap<number, number>,
  weightOf: (id: number, value: number) => number = (_id, value) => value,
): Terms {
  // `from` would take several times as long, here and below.
  const ids = new Uint32Array(values.size);
  let next = 0;
  for (const id of values.keys()) ids[next++] = id;
  ids.sort();
  const weights = new Float32Array(ids.length);
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]! | 0;
    weights[index] = weightOf(id, values.get(id)!);
  }
  return { ids, weights };
}
