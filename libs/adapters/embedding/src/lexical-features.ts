import { findPaths, findWords, splitWord, STOP_WORDS } from './lexical-words.js';

/** Parts, whole identifiers and pairs weigh the same (measured, see docs/embedding.md); stop words hardly count. */
const WEIGHT = 1;
const STOP_WORD_WEIGHT = 0.1;

/** Positions of one feature: with only one, a collision with a frequent feature could cancel it. */
const POSITIONS = 4;

interface HashedWord {
  parts: readonly { hash: number; isStopWord: boolean }[];
  /** Hash of all parts together, independent of the separator; undefined for a single part. */
  whole: number | undefined;
}

/** A cache, emptied when full: code repeats its words, and splitting them is most of the work. */
const hashedWords = new Map<string, HashedWord>();
const MOST_HASHED_WORDS = 50_000;

/** The features of one text, counted by their hashes. */
export class Features {
  private readonly parts = new Map<number, number>();
  private readonly stopWords = new Map<number, number>();
  private readonly wholes = new Map<number, number>();
  private readonly pairs = new Map<number, number>();

  constructor(text: string) {
    let previous: number | undefined;
    for (const spelling of findWords(text)) {
      const { parts, whole } = hashWord(spelling);
      for (const { hash, isStopWord } of parts) {
        count(isStopWord ? this.stopWords : this.parts, hash);
        // Pairs skip stop words, so that "release of the lease" has the pair of releaseLease.
        if (isStopWord) continue;
        if (previous !== undefined) count(this.pairs, hashPair(previous, hash));
        previous = hash;
      }
      if (whole !== undefined) count(this.wholes, whole);
    }
    for (const path of findPaths(text)) count(this.wholes, hashText(path));
  }

  /** A vector of length 1. */
  toVector(dimensions: number): Float32Array {
    const vector = new Float32Array(dimensions);
    for (const counts of [this.parts, this.wholes, this.pairs]) place(vector, counts, WEIGHT);
    place(vector, this.stopWords, STOP_WORD_WEIGHT);
    return normalise(vector);
  }
}

function hashWord(spelling: string): HashedWord {
  const known = hashedWords.get(spelling);
  if (known !== undefined) return known;
  const names = splitWord(spelling);
  const parts = names.map((name) => ({ hash: hashText(name), isStopWord: STOP_WORDS.has(name) }));
  const word = { parts, whole: names.length > 1 ? hashText(names.join('_')) : undefined };
  if (hashedWords.size >= MOST_HASHED_WORDS) hashedWords.clear();
  // A copy: a match is a slice that would keep the whole text in memory.
  hashedWords.set(Buffer.from(spelling).toString(), word);
  return word;
}

function count(counts: Map<number, number>, hash: number): void {
  counts.set(hash, (counts.get(hash) ?? 0) + 1);
}

function place(vector: Float32Array, counts: ReadonlyMap<number, number>, weight: number): void {
  for (const [hash, times] of counts) {
    // The tenth occurrence of a word says less than the first.
    const value = weight * (1 + Math.log(times));
    let draw = hash;
    for (let drawn = 0; drawn < POSITIONS; drawn++) {
      const position = (draw >>> 1) % vector.length;
      // With random signs, features that share a position cancel out instead of adding up.
      vector[position] = (vector[position] ?? 0) + ((draw & 1) === 0 ? value : -value);
      draw = hashPair(draw, drawn + 1);
    }
  }
}

function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  // A text without words, or whose words cancel out exactly, gets one fixed vector.
  if (length === 0) return vector.fill(1 / Math.sqrt(vector.length));
  return vector.map((value) => value / length);
}

/** FNV-1a over UTF-16 units, then mixed: 32 unsigned bits, the same on every machine. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let position = 0; position < text.length; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  return mix(hash);
}

/** Combines two hashes; their order counts. */
function hashPair(first: number, second: number): number {
  return mix(Math.imul(first, 0x9e3779b1) ^ second);
}

/** MurmurHash3's finalizer: FNV's low bits alone are too regular to choose a position by. */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
