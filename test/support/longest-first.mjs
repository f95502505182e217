// A fresh clone has no cached times. If a long file started last, the other workers would idle at the end.
import TestSequencer from '@jest/test-sequencer';

/** Ordinary specs take moments, those with a database seconds, and those that start processes longest. */
const KINDS = ['spec', 'int-spec', 'e2e-spec'];
const kindOf = ({ path }) => KINDS.indexOf(path.split('.').at(-2));

/** Jest's own order: by cached time, else by size. Without any cached time, the kind of a file counts before its size. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isTimed = sorted.some(({ duration }) => duration !== undefined);
    return isTimed ? sorted : sorted.toSorted((one, other) => kindOf(other) - kindOf(one));
  }
}
