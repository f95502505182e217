import { type Terms } from '@core/domain';
import { definedNames } from './definitions.js';
import { hashOf, KIND } from './hash.js';
import { TermWeights } from './term-weights.js';
import { countTerms, wordOf, wordsOf } from './words.js';

/** BM25: how soon a repeated word says nothing more, and how much a long text counts as one that repeats everything. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** Words of a usual chunk; fixed, so that a text's weights do not depend on others. */
const USUAL_LENGTH = 250;
/** A defined name's parts count as if they stood there so many times more. */
const DEFINED_TIMES = 2;

const found = new TermWeights();

/** The terms of a chunk; each chunk has at least those of its path. A change of any weight needs another {@link LANE}. */
export function termsOf({ path, text }: { path: string; text: string }): Terms {
  found.clear();
  let length = 0;
  countTerms(text, (terms, times) => {
    length += times;
    for (const id of terms) found.add(id, times);
  });
  const defined = new Set(definedNames(text));
  for (const spelling of defined)
    for (const part of wordOf(spelling).parts) found.add(hashOf(KIND.part, part), DEFINED_TIMES);
  const share = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / USUAL_LENGTH);
  found.change((times) => (times * (SATURATION + 1)) / (times + share));
  for (const spelling of defined) {
    found.set(hashOf(KIND.defined, wordOf(spelling).name), 1);
    found.set(hashOf(KIND.spelled, spelling), 1);
  }
  for (const [id, weight] of pathTerms(path)) found.set(id, weight);
  return found.take();
}

/** Of the last path: most files have several chunks. */
let known: { path: string; terms: ReadonlyMap<number, number> } = { path: '', terms: new Map() };

/** The names and parts of a path; those of the file weigh more than those of its folders. */
function pathTerms(path: string): ReadonlyMap<number, number> {
  if (path !== known.path) known = { path, terms: computePathTerms(path) };
  return known.terms;
}

function computePathTerms(path: string): Map<number, number> {
  const terms = new Map<number, number>();
  const names = path.split('/');
  names.forEach((spelling, depth) => {
    const weight = depth === names.length - 1 ? 1 : 0.4;
    const bare = spelling.replace(/(?<=.)\.[^.]*$/, '');
    for (const { name, parts } of [spelling, bare].flatMap((each) => [wordOf(each), ...wordsOf(each)])) {
      for (const term of [name, ...parts]) {
        const id = hashOf(KIND.path, term);
        terms.set(id, Math.max(weight, terms.get(id) ?? 0));
      }
    }
  });
  return terms;
}
