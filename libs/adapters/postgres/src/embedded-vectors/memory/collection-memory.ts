import { type SearchFilter, type Terms } from '@core/domain';
import { POINTS_PER_BLOCK, type TermBlock } from './postings.js';
import { type IndexedFile, type IndexedPoint, POINTS_PER_SEGMENT, Segment } from './segment.js';
import { type Signatures } from './signature.js';
import { type Scored, TopK } from './top-k.js';

/** Where a point is, until it is written again. */
export interface Place {
  segment: Segment;
  slot: number;
  /** The transaction that wrote the point. */
  writtenBy: string;
}

type Accepts = (file: IndexedFile) => boolean;

/** The vectors and terms of one collection: a search compares all of them, exactly, without reading the database. */
export class CollectionMemory {
  private readonly segments: Segment[] = [];
  private readonly places = new Map<string, Place>();
  private readonly files = new Map<string, IndexedFile>();
  private longestText = 0;

  constructor(readonly dimensions: number) {}

  get size(): number {
    return this.places.size;
  }

  /** More than half of the memory belongs to removed points. */
  get isWasteful(): boolean {
    const removed = this.segments.reduce((sum, segment) => sum + segment.removed, 0);
    return removed > Math.max(this.size, POINTS_PER_SEGMENT);
  }

  isKnown(id: string, writtenBy: string): boolean {
    return this.places.get(id)?.writtenBy === writtenBy;
  }

  put(point: IndexedPoint, writtenBy: string): void {
    this.remove(point.id);
    let segment = this.segments.at(-1);
    if (segment === undefined || segment.isFull) {
      segment = new Segment(this.dimensions);
      this.segments.push(segment);
    }
    const slot = segment.add({ ...point, file: this.fileOf(point.file) });
    this.places.set(point.id, { segment, slot, writtenBy });
  }

  remove(id: string): void {
    const place = this.places.get(id);
    place?.segment.remove(place.slot);
    this.places.delete(id);
  }

  dense(vector: Float32Array, limit: number, filter: SearchFilter): Scored[] {
    const top = new TopK(limit);
    const accepts = acceptsOf(filter);
    for (const segment of this.segments) {
      const bounds = segment.cosineBounds(vector);
      for (let slot = 0; slot < bounds.length; slot++) {
        // Most points are left out by their bounds, and the floats of the others alone are read: the result stays exact.
        if (!top.wants(bounds[slot]!) || segment.isRemoved[slot] === 1 || !accepts(segment.files[slot]!))
          continue;
        const score = segment.cosine(slot);
        if (top.wants(score)) top.offer({ id: segment.ids[slot]!, score });
      }
    }
    return top.bestFirst();
  }

  /** The sum over common terms of both weights times the term's rarity (IDF as in BM25, and as in Qdrant). */
  lexical(terms: Terms, limit: number, filter: SearchFilter): Scored[] {
    const rarity = this.raritiesOf(terms);
    const top = new TopK(limit);
    const accepts = acceptsOf(filter);
    const sums = new Float64Array(POINTS_PER_BLOCK);
    for (const { segment, block, from: first } of this.blocks()) {
      const lists = block.lists();
      const touched: number[] = [];
      terms.ids.forEach((term, index) => {
        const weight = terms.weights[index]! * rarity[index]!;
        const [from, to] = lists.rangeOf(term);
        for (let place = from; place < to; place++) {
          const point = lists.slots[place]!;
          if (sums[point] === 0) touched.push(point);
          sums[point]! += weight * lists.weights[place]!;
        }
      });
      for (const point of touched) {
        const score = sums[point]!;
        const slot = first + point;
        sums[point] = 0;
        if (!top.wants(score) || segment.isRemoved[slot] === 1 || !accepts(segment.files[slot]!)) continue;
        top.offer({ id: segment.ids[slot]!, score });
      }
    }
    return top.bestFirst();
  }

  /**
   * The ids of all points that match the filter, have all the terms (or no terms at all), and may have the sequences of
   * characters; those of a file together.
   * @param sequences null: none.
   */
  having(terms: Uint32Array, filter: SearchFilter, sequences: Int32Array | null): string[] {
    const accepts = acceptsOf(filter);
    const found: { id: string; file: IndexedFile }[] = [];
    for (const { segment, block, signatures, from } of this.blocks()) {
      const passing = sequences && signatures.having(sequences);
      if (passing?.every((word) => word === 0)) continue;
      for (const point of block.having(terms)) {
        const slot = from + point;
        if (passing && (passing[point >>> 5]! & (1 << (point & 31))) === 0) continue;
        if (segment.isRemoved[slot] === 1) continue;
        const file = segment.files[slot]!;
        if (accepts(file)) found.push({ id: segment.ids[slot]!, file });
      }
    }
    found.sort((left, right) =>
      left.file.path < right.file.path ? -1 : Number(left.file.path > right.file.path),
    );
    return found.map(({ id }) => id);
  }

  /** Some points whose texts have no signature yet. */
  unsigned(most: number): Pick<Place, 'segment' | 'slot'>[] {
    const places: Pick<Place, 'segment' | 'slot'>[] = [];
    for (const { segment, signatures, from } of this.blocks()) {
      const end = Math.min(segment.ids.length, from + POINTS_PER_BLOCK);
      if (signatures.size === end - from) continue;
      for (let slot = from; slot < end && places.length < most; slot++)
        if (segment.isRemoved[slot] === 0 && !signatures.has(slot - from)) places.push({ segment, slot });
    }
    return places;
  }

  /** At most once for each place. */
  sign({ segment, slot }: Pick<Place, 'segment' | 'slot'>, text: string): void {
    this.longestText = Math.max(this.longestText, text.length);
    const signatures = segment.signatures[Math.floor(slot / POINTS_PER_BLOCK)]!;
    signatures.add(slot % POINTS_PER_BLOCK, text, this.longestText);
  }

  private raritiesOf({ ids }: Terms): number[] {
    const counts = new Array<number>(ids.length).fill(0);
    for (const { segment, block, from: first } of this.blocks()) {
      const lists = block.lists();
      ids.forEach((term, index) => {
        const [from, to] = lists.rangeOf(term);
        if (segment.removed === 0) counts[index]! += to - from;
        else
          for (let place = from; place < to; place++)
            counts[index]! += 1 - segment.isRemoved[first + lists.slots[place]!]!;
      });
    }
    return counts.map((count) => Math.log(1 + (this.size - count + 0.5) / (count + 0.5)));
  }

  private *blocks(): Generator<{
    segment: Segment;
    block: TermBlock;
    signatures: Signatures;
    from: number;
  }> {
    for (const segment of this.segments) {
      for (const [index, block] of segment.blocks.entries())
        yield { segment, block, signatures: segment.signatures[index]!, from: index * POINTS_PER_BLOCK };
    }
  }

  private fileOf(file: IndexedFile): IndexedFile {
    const key = `${file.repositoryId}\0${file.path}`;
    const known = this.files.get(key);
    if (known?.language === file.language) return known;
    this.files.set(key, file);
    return file;
  }
}

/** Decides once for each file. */
function acceptsOf({ repositoryIds, pathPrefix, language }: SearchFilter): Accepts {
  const repositories = repositoryIds?.length ? new Set(repositoryIds) : null;
  const prefix = pathPrefix?.replace(/^\/+|\/+$/g, '') ?? '';
  if (repositories === null && prefix === '' && language === undefined) return () => true;
  const decided = new Map<IndexedFile, boolean>();
  return (file) => {
    let isAccepted = decided.get(file);
    if (isAccepted === undefined) {
      isAccepted =
        (repositories === null || repositories.has(file.repositoryId)) &&
        (prefix === '' || file.path === prefix || file.directories.includes(prefix)) &&
        (language === undefined || file.language === language);
      decided.set(file, isAccepted);
    }
    return isAccepted;
  };
}
