/** Characters of a word, by code; a hyphen only joins, and `$` is not in what it joins. */
const [JOINED, FIRST, HYPHEN] = [2, 1, 3];
const KINDS = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9_]/.test(character)) return JOINED;
  if (character === '$') return FIRST;
  return character === '-' ? HYPHEN : 0;
});

const encoder = new TextEncoder();

/** A text and its words have room for so much; longer texts are counted in another way. */
const MAX_TEXT = 32 * 1024;
/** Half of the places stay empty, so that a word is found at the first or second one. */
const PLACES = 128 * 1024;
const MAX_WORDS = PLACES / 2;
const POOL_BYTES = 1024 * 1024;
/** Differs in each process, so that no file can have many words with the same hash. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/**
 * Counts the words of ASCII texts. A word that it has met is found by its bytes; a string for each place where it stands, and
 * the hash of that string, would take most of the time. It forgets all words when it is full.
 */
export class KnownWords<T> {
  private readonly text = Buffer.alloc(MAX_TEXT);
  /** By hash: the number of a word, from 1 on. */
  private readonly places = new Int32Array(PLACES);
  /** By number: where the bytes of a word are in the pool. The next one begins where it ends. */
  private readonly starts = new Int32Array(MAX_WORDS + 2);
  private readonly pool = new Uint8Array(POOL_BYTES);
  private readonly times = new Int32Array(MAX_WORDS + 1);
  private words: (T | null)[] = [null];

  /**
   * @param longest longer words are left out.
   * @param make is called once for each spelling.
   */
  constructor(
    private readonly longest: number,
    private readonly make: (spelling: string) => T,
  ) {}

  /** Calls `visit` with each word once, in the order of the text. @returns false when the text is not ASCII, or too long. */
  count(text: string, visit: (word: T, times: number) => void): boolean {
    const { length } = text;
    if (length > MAX_TEXT) return false;
    const { read, written } = encoder.encodeInto(text, this.text);
    if (read !== length || written !== length) return false;
    this.makeRoom(length);
    const found: number[] = [];
    for (let at = 0; at < length;) {
      const kind = KINDS[this.text[at]!]!;
      if (kind === FIRST || kind === JOINED) at = this.countWord(at, length, found);
      else at++;
    }
    for (const number of found) {
      visit(this.words[number]!, this.times[number]!);
      this.times[number] = 0;
    }
    return true;
  }

  /** @returns where the word ends. */
  private countWord(start: number, length: number, found: number[]): number {
    const bytes = this.text;
    let hash = SEED;
    let at = start;
    let lowest = FIRST;
    for (; at < length; at++) {
      const byte = bytes[at]!;
      const kind = KINDS[byte]!;
      if (kind === HYPHEN) {
        if (at + 1 === length || KINDS[bytes[at + 1]!] !== JOINED) break;
        lowest = JOINED;
      } else if (kind < lowest) break;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    if (at - start > this.longest) return at;
    const number = this.numberOf(start, at, hash);
    if (this.times[number]!++ === 0) found.push(number);
    return at;
  }

  private numberOf(start: number, end: number, hash: number): number {
    let place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    for (;;) {
      const number = this.places[place]!;
      if (number === 0) break;
      if (this.isSpelled(number, start, end)) return number;
      place = (place + 1) & (PLACES - 1);
    }
    // A new text, because a part of the chunk's would keep all of it in memory as long as the word.
    const number = this.words.push(this.make(this.text.toString('latin1', start, end))) - 1;
    const from = this.starts[number]!;
    this.places[place] = number;
    this.pool.set(this.text.subarray(start, end), from);
    this.starts[number + 1] = from + end - start;
    return number;
  }

  private isSpelled(number: number, start: number, end: number): boolean {
    const { text, pool } = this;
    const from = this.starts[number]!;
    if (this.starts[number + 1]! - from !== end - start) return false;
    for (let at = start; at < end; at++) if (text[at] !== pool[from + at - start]) return false;
    return true;
  }

  /** Forgets all words when those of a text of this length may not find room. */
  private makeRoom(length: number): void {
    const used = this.words.length;
    if (used + length / 2 < MAX_WORDS && this.starts[used]! + length < POOL_BYTES) return;
    this.places.fill(0);
    this.words = [null];
  }
}
