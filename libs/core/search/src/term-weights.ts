import { type Terms } from '@core/domain';

const FIRST_PLACES = 4096;
/** Odd, and different in each process, so that no file can have many terms at the same place. */
const FACTOR = Math.floor(Math.random() * 2 ** 32) | 1;

/**
 * The terms of one text after another, each with a value that is not 0. Does for each text the same as a new map, whose places
 * and numbers would be most of the work.
 */
export class TermWeights {
  private ids = new Int32Array(FIRST_PLACES);
  /** 0: the place is empty. */
  private values = new Float64Array(FIRST_PLACES);
  /** The places that are not empty. */
  private used: number[] = [];

  add(id: number, value: number): void {
    const place = this.placeOf(id);
    if (this.values[place] === 0) this.fill(place, id, value);
    else this.values[place]! += value;
  }

  set(id: number, value: number): void {
    const place = this.placeOf(id);
    if (this.values[place] === 0) this.fill(place, id, value);
    else this.values[place] = value;
  }

  /** Changes all values; none may become 0. */
  change(weightOf: (value: number) => number): void {
    for (const place of this.used) this.values[place] = weightOf(this.values[place]!);
  }

  /** Empties itself: a text that failed in the middle leaves its terms. */
  clear(): void {
    for (const place of this.used) this.values[place] = 0;
    this.used = [];
  }

  /** Empties itself. */
  take(): Terms {
    const { used } = this;
    const ids = new Uint32Array(used.length);
    for (let index = 0; index < ids.length; index++) ids[index] = this.ids[used[index]!]!;
    ids.sort();
    const weights = new Float32Array(ids.length);
    for (let index = 0; index < ids.length; index++)
      weights[index] = this.values[this.placeOf(ids[index]! | 0)]!;
    this.clear();
    return { ids, weights };
  }

  /** Of the term, or the empty one for it. */
  private placeOf(id: number): number {
    const last = this.ids.length - 1;
    const mixed = Math.imul(id, FACTOR);
    let place = (mixed ^ (mixed >>> 16)) & last;
    while (this.values[place] !== 0 && this.ids[place] !== id) place = (place + 1) & last;
    return place;
  }

  private fill(place: number, id: number, value: number): void {
    this.ids[place] = id;
    this.values[place] = value;
    if (this.used.push(place) * 2 > this.ids.length) this.grow();
  }

  private grow(): void {
    const { ids, values, used } = this;
    this.ids = new Int32Array(2 * ids.length);
    this.values = new Float64Array(2 * ids.length);
    this.used = [];
    for (const place of used) this.fill(this.placeOf(ids[place]!), ids[place]!, values[place]!);
  }
}
