import { type Terms } from '@core/domain';
import { VectorBlock } from './dots.js';
import { POINTS_PER_BLOCK, TermBlock } from './postings.js';
import { Signatures } from './signature.js';

/** What a filter reads; one object for all points of a file. */
export interface IndexedFile {
  repositoryId: string;
  path: string;
  directories: readonly string[];
  language: string | null;
}

export interface IndexedPoint {
  id: string;
  file: IndexedFile;
  /** Vectors of length 1. */
  vector: Float32Array;
  terms: Terms | null;
}

export const POINTS_PER_SEGMENT = 16_384;

/** A part of a collection in memory. Points are only added and removed; a changed one moves to the newest segment. */
export class Segment {
  readonly ids: string[] = [];
  readonly files: IndexedFile[] = [];
  /** Of the texts of each block; filled later than the rest. */
  readonly signatures: Signatures[] = [];
  readonly isRemoved = new Uint8Array(POINTS_PER_SEGMENT);
  /** The terms of points: block `n` has those from `n * POINTS_PER_BLOCK` on. */
  readonly blocks: TermBlock[] = [];
  removed = 0;
  private readonly vectors: VectorBlock;

  constructor(dimensions: number) {
    this.vectors = new VectorBlock(dimensions, POINTS_PER_SEGMENT);
  }

  get isFull(): boolean {
    return this.ids.length === POINTS_PER_SEGMENT;
  }

  /** @returns the point's slot. */
  add({ id, file, vector, terms }: IndexedPoint): number {
    const slot = this.ids.push(id) - 1;
    this.files.push(file);
    this.vectors.set(slot, vector);
    if (slot % POINTS_PER_BLOCK === 0) {
      this.blocks.push(new TermBlock());
      this.signatures.push(new Signatures());
    }
    this.blocks.at(-1)!.add(terms);
    return slot;
  }

  remove(slot: number): void {
    if (this.isRemoved[slot] === 1) return;
    this.isRemoved[slot] = 1;
    this.removed += 1;
  }

  /** What the cosine of each point with a vector of length 1 is at most. Valid until the next call. */
  cosineBounds(query: Float32Array): Float32Array {
    return this.vectors.bounds(query, this.ids.length);
  }

  /** The cosine of a point with the vector of the last `cosineBounds`. */
  cosine(slot: number): number {
    return this.vectors.product(slot);
  }
}
