/** Of the texts without a sequence, a third of a third of a third pass for a sequence of five characters. */
const BITS_PER_CHARACTER = 2;
const LENGTH = 3;
/**
 * 1 KiB, so that 100,000 texts of any length take at most 100 MB. Of the texts of 7,000 characters without a literal of five, 11 % pass instead
 * of 8 %.
 */
const MOST_WORDS = 256;

/**
 * Which sequences of three characters a text has, as a Bloom filter: a text of 1,500 characters takes 375 bytes, one of 4,096 and more 1 KiB. Letters of
 * ASCII count in any case.
 */
export function signatureOf(text: string): Uint32Array {
  const words = Math.ceil((text.length * BITS_PER_CHARACTER) / 32);
  const signature = new Uint32Array(Math.min(MOST_WORDS, Math.max(1, words)));
  const bits = signature.length * 32;
  for (let at = 0; at + LENGTH <= text.length; at++) {
    const bit = hashAt(text, at) % bits;
    signature[bit >>> 5]! |= 1 << (bit & 31);
  }
  return signature;
}

/** Null: nothing is known about texts that contain the literal. @param ignoreCase whether its letters may have any case. */
export function sequencesOf(literal: string, ignoreCase: boolean): Uint32Array | null {
  const hashes: number[] = [];
  for (let at = 0; at + LENGTH <= literal.length; at++) {
    // The case of other letters than those of ASCII is not folded in a signature.
    const isFolded = !ignoreCase || /^[\0-\x7f]+$/.test(literal.slice(at, at + LENGTH));
    if (isFolded) hashes.push(hashAt(literal, at));
  }
  return hashes.length === 0 ? null : Uint32Array.from(new Set(hashes));
}

/** False: the text certainly lacks one of the sequences. */
export function mayHave(signature: Uint32Array, sequences: Uint32Array): boolean {
  const bits = signature.length * 32;
  for (const hash of sequences) {
    const bit = hash % bits;
    if ((signature[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
  }
  return true;
}

function hashAt(text: string, at: number): number {
  let hash = 0x811c9dc5;
  for (let next = at; next < at + LENGTH; next++) {
    const code = text.charCodeAt(next);
    const folded = code >= 65 && code <= 90 ? code + 32 : code;
    hash = Math.imul(hash ^ folded, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
