/** A third of the bits are set in the filter of a text of 1,500 characters, so a text without two sequences passes once in ten times. */
const BITS_PER_CHARACTER = 3;
/**
 * Sequences of four tell many texts apart that have every sequence of three; those of three serve the shortest literals. In 6,011 texts of
 * 1,500 characters of real packages, 150 parts of names: a tenth of the literals let more than 433 wrong texts pass with
 * sequences of three and two bits, 145 with both lengths, 80 with both and three bits.
 */
const LENGTHS = [4, 3] as const;
/**
 * 1 KiB, so that 100,000 texts of any length take at most 100 MB.
 */
const MOST_WORDS = 256;

/**
 * Which sequences of three and four characters a text has, as a Bloom filter: a text of 1,500 characters takes 564 bytes, one
 * of 2,731 and more 1 KiB. Letters of ASCII count in any case.
 */
function signatureOf(text: string): Uint32Array {
  const words = Math.ceil((text.length * BITS_PER_CHARACTER) / 32);
  const signature = new Uint32Array(Math.min(MOST_WORDS, Math.max(1, words)));
  const bits = signature.length * 32;
  for (const length of LENGTHS)
    for (let at = 0; at + length <= text.length; at++) {
      const bit = hashAt(text, at, length) % bits;
      signature[bit >>> 5]! |= 1 << (bit & 31);
    }
  return signature;
}

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

/** The signatures of some texts, in one array: an object for each would take another read from memory, and more of it. */
export class Signatures {
  private words = new Uint32Array(MOST_WORDS);
  private used = 0;
  private readonly starts: Uint32Array;
  /** In words; 0: unknown. */
  private readonly sizes: Uint16Array;

  constructor(capacity: number) {
    this.starts = new Uint32Array(capacity);
    this.sizes = new Uint16Array(capacity);
  }

  has(slot: number): boolean {
    return this.sizes[slot] !== 0;
  }

  /** At most once for each slot. */
  add(slot: number, text: string): void {
    const signature = signatureOf(text);
    if (this.used + signature.length > this.words.length) {
      const larger = new Uint32Array(2 * this.words.length);
      larger.set(this.words);
      this.words = larger;
    }
    this.words.set(signature, this.used);
    this.starts[slot] = this.used;
    this.sizes[slot] = signature.length;
    this.used += signature.length;
  }

  /** False: the text certainly lacks one of the sequences. */
  mayHave(slot: number, sequences: Int32Array): boolean {
    if (!this.has(slot)) return true;
    const start = this.starts[slot]!;
    const bits = this.sizes[slot]! * 32;
    for (let index = 0; index < sequences.length; index++) {
      const bit = sequences[index]! % bits;
      if ((this.words[start + (bit >>> 5)]! & (1 << (bit & 31))) === 0) return false;
    }
    return true;
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
