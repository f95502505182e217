import { POINTS_PER_BLOCK } from './postings.js';

/** A third of the bits of the longest texts are set, so one without two sequences passes once in ten times. */
const BITS_PER_CHARACTER = 3;
/**
 * Sequences of four tell many texts apart that have every sequence of three; those of three serve the shortest literals. In 6,011 texts of
 * 1,500 characters of real packages, 150 parts of names: a tenth of the literals let more than 433 wrong texts pass with
 * sequences of three and two bits, 145 with both lengths, 80 with both and three bits.
 */
const LENGTHS = [4, 3] as const;
/** The first texts of a block may be shorter than the others. */
const LEAST_BITS = 1_536;
/** 1 KiB for each text, so that 100,000 texts of any length take at most 100 MB. */
const MOST_BITS = 8_192;
const WORDS_PER_ROW = POINTS_PER_BLOCK / 32;
const NONE = new Uint32Array(WORDS_PER_ROW);

/** Null: nothing is known about texts that contain the literal. @param ignoreCase whether its letters may have any case. */
export function sequencesOf(literal: string, ignoreCase: boolean): Int32Array | null {
  const hashes: number[] = [];
  for (const length of LENGTHS)
    for (let at = 0; at + length <= literal.length; at++) {
      // The case of other letters than those of ASCII is not folded in a signature.
      const isFolded = !ignoreCase || /^[\0-\x7f]+$/.test(literal.slice(at, at + length));
      if (isFolded) hashes.push(hashAt(literal, at, length));
    }
  return hashes.length === 0 ? null : Int32Array.from(new Set(hashes));
}

/**
 * Which sequences of three and four characters the texts of a block have: a Bloom filter of each text. Letters of ASCII count in
 * any case. A row holds one bit of every text, so a search reads one short row for each of its sequences, not the filter
 * of each text.
 */
export class Signatures {
  /** How many texts have one. */
  size = 0;
  private rows: Uint32Array | null = null;
  private bits = 0;
  private readonly signed = new Uint32Array(WORDS_PER_ROW);
  private readonly passing = new Uint32Array(WORDS_PER_ROW);

  has(point: number): boolean {
    return (this.signed[point >>> 5]! & (1 << (point & 31))) !== 0;
  }

  /**
   * At most once for each point.
   * @param longest characters of the longest text that is known: all filters of a block have the same size.
   */
  add(point: number, text: string, longest: number): void {
    this.bits ||= Math.min(MOST_BITS, Math.max(LEAST_BITS, longest * BITS_PER_CHARACTER));
    this.rows ??= new Uint32Array(this.bits * WORDS_PER_ROW);
    const [word, bit] = [point >>> 5, 1 << (point & 31)];
    for (const length of LENGTHS)
      for (let at = 0; at + length <= text.length; at++)
        this.rows[(hashAt(text, at, length) % this.bits) * WORDS_PER_ROW + word]! |= bit;
    this.signed[word]! |= bit;
    this.size += 1;
  }

  /** A bit for each point; 0: its text certainly lacks one of the sequences. Valid until the next call. */
  having(sequences: Int32Array): Uint32Array {
    const { rows, signed, passing } = this;
    passing.fill(0xffffffff);
    if (rows === null) return passing;
    for (let index = 0; index < sequences.length; index++) {
      const row = (sequences[index]! % this.bits) * WORDS_PER_ROW;
      let some = 0;
      for (let word = 0; word < WORDS_PER_ROW; word++)
        some |= passing[word]! &= rows[row + word]! | ~signed[word]!;
      if (some === 0) return NONE;
    }
    return passing;
  }
}

/** 31 bits: whole numbers with a sign are divided twice as fast. */
function hashAt(text: string, at: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let next = at; next < at + length; next++) {
    const code = text.charCodeAt(next);
    const folded = code >= 65 && code <= 90 ? code + 32 : code;
    hash = Math.imul(hash ^ folded, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 1;
}
