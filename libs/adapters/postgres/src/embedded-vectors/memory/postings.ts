import { type Terms } from '@core/domain';

export const POINTS_PER_BLOCK = 512;
const EVERY_POINT = Array.from({ length: POINTS_PER_BLOCK }, (_, point) => point);

/** The terms of some points. Lists of a full block are made at once, those of others at the first search after a change. */
export class TermBlock {
  private points: (Terms | null)[] = [];
  private made: Postings | null = null;
  private size = 0;
  /** Those without terms. */
  private readonly bare: number[] = [];

  add(terms: Terms | null): void {
    this.points.push(terms);
    if (terms === null) this.bare.push(this.size);
    this.size += 1;
    this.made = null;
    // Otherwise the first search of a large collection makes all lists at once, and no other request is answered.
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

  /** The points with all of these terms, and those without any; ascending. */
  having(terms: Uint32Array): number[] {
    if (terms.length === 0) return EVERY_POINT.slice(0, this.size);
    const lists = this.lists();
    const counts = new Uint16Array(this.size);
    const found = [...this.bare];
    for (const term of terms) {
      const [from, to] = lists.rangeOf(term);
      for (let place = from; place < to; place++)
        if (++counts[lists.slots[place]!]! === terms.length) found.push(lists.slots[place]!);
    }
    return found.sort((left, right) => left - right);
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
    const counts = new Map<number, number>();
    for (const point of points) for (const id of point?.ids ?? []) counts.set(id, (counts.get(id) ?? 0) + 1);
    this.terms = Uint32Array.from(counts.keys()).sort();
    this.starts = new Uint32Array(this.terms.length + 1);
    this.terms.forEach((id, index) => (this.starts[index + 1] = this.starts[index]! + counts.get(id)!));
    this.terms.forEach((id, index) => counts.set(id, this.starts[index]!));
    const length = this.starts.at(-1)!;
    this.slots = new Uint32Array(length);
    this.weights = new Float32Array(length);
    points.forEach((point, slot) => {
      point?.ids.forEach((id, index) => {
        const place = counts.get(id)!;
        counts.set(id, place + 1);
        this.slots[place] = slot;
        this.weights[place] = point.weights[index]!;
      });
    });
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
