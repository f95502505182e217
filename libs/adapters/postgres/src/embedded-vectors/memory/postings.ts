import { type Terms } from '@core/domain';

export const POINTS_PER_BLOCK = 512;

/** The terms of some points. Lists of a full block are made at once, those of others at the first search after a change. */
export class TermBlock {
  private points: (Terms | null)[] = [];
  private made: Postings | null = null;
  /** Whether each point has terms. */
  private readonly hasTerms: boolean[] = [];

  add(terms: Terms | null): void {
    this.points.push(terms);
    this.hasTerms.push(terms !== null);
    this.made = null;
    // So that the first search after the reading of a large collection does not make all lists without a break.
    if (this.points.length === POINTS_PER_BLOCK) this.lists();
  }

  lists(): Postings {
    if (this.made === null) {
      this.made = new Postings(this.points);
      // Nothing is added to a full block.
      if (this.points.length === POINTS_PER_BLOCK) this.points = [];
    }
    return this.made;
  }

  /** The points with all of these terms, and those without any. */
  having(terms: Uint32Array): number[] {
    const lists = this.lists();
    const counts = new Uint8Array(this.hasTerms.length);
    for (const term of terms) {
      const [from, to] = lists.rangeOf(term);
      for (let place = from; place < to; place++) counts[lists.slots[place]!]! += 1;
    }
    return [...counts.keys()].filter((point) => !this.hasTerms[point] || counts[point] === terms.length);
  }
}

/** Lists for each term the points that have it, in flat arrays: a list object for each of a million terms would take gigabytes. */
class Postings {
  /** Ascending. */
  private readonly terms: Uint32Array;
  /** Where the list of each term begins; one more at the end. */
  private readonly starts: Uint32Array;
  readonly slots: Uint32Array;
  readonly weights: Float32Array;

  constructor(points: readonly (Terms | null)[]) {
    const all = points.flatMap((point, slot) => (point ? [{ slot, ...point }] : []));
    const length = all.reduce((sum, { ids }) => sum + ids.length, 0);
    const slots = new Uint32Array(length);
    const weights = new Float32Array(length);
    // A number holds the term and then its place: sorting numbers is several times as fast as a map of the terms.
    const sorted = new Float64Array(length);
    let place = 0;
    for (const { slot, ids, weights: given } of all) {
      slots.fill(slot, place, place + ids.length);
      weights.set(given, place);
      for (const id of ids) sorted[place] = id * length + place++;
    }
    sorted.sort();
    this.slots = new Uint32Array(length);
    this.weights = new Float32Array(length);
    const terms: number[] = [];
    const starts: number[] = [];
    let last = -1;
    for (let at = 0; at < length; at++) {
      const term = Math.floor(sorted[at]! / length);
      const from = sorted[at]! - term * length;
      this.slots[at] = slots[from]!;
      this.weights[at] = weights[from]!;
      if (term === last) continue;
      terms.push(term);
      starts.push(at);
      last = term;
    }
    this.terms = Uint32Array.from(terms);
    this.starts = Uint32Array.from([...starts, length]);
  }

  /** The range of the term's points within `slots` and `weights`. */
  rangeOf(term: number): [from: number, to: number] {
    let [low, high] = [0, this.terms.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.terms[middle]! < term) low = middle + 1;
      else high = middle;
    }
    return this.terms[low] === term ? [this.starts[low]!, this.starts[low + 1]!] : [0, 0];
  }
}
