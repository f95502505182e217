/** Letters and digits of ASCII; two neighbours make an index. */
const CODES = 128;
/** Pairs of characters with these are rare in texts, so that few places are looked at closely. */
const RARE_CHARACTER = /[^a-z ]/;

interface Anchor {
  word: string;
  /** Where in the word its rarest pair of characters is. */
  offset: number;
}

/** Finds which of many fixed words a text contains: reads the text once, and looks closely only where a pair of characters fits. */
export class Hints {
  /** By pair: 1 for those of a word. */
  private readonly pairs = new Uint8Array(CODES * CODES);
  private readonly anchors = new Map<number, Anchor[]>();

  /** @param words of ASCII, with two characters or more. */
  constructor(words: readonly string[]) {
    for (const word of new Set(words)) {
      const offset = rarestPair(word);
      const pair = word.charCodeAt(offset) * CODES + word.charCodeAt(offset + 1);
      this.pairs[pair] = 1;
      this.anchors.set(pair, [...(this.anchors.get(pair) ?? []), { word, offset }]);
    }
  }

  /** Empty for most texts. */
  in(text: string): ReadonlySet<string> {
    const found = new Set<string>();
    const { pairs } = this;
    const codes = codesOf(text);
    let former = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = codes[index]!;
      const current = code < CODES ? code : 0;
      const pair = former * CODES + current;
      if (pairs[pair] === 1) this.look(text, index - 1, pair, found);
      former = current;
    }
    return found;
  }

  private look(text: string, at: number, pair: number, found: Set<string>): void {
    for (const { word, offset } of this.anchors.get(pair) ?? [])
      if (!found.has(word) && text.startsWith(word, at - offset)) found.add(word);
  }
}

/** Enough for most files; longer ones get their own. */
const buffer = Buffer.alloc(64 * 1024);

/** The lowest eight bits of each character: an array is read twice as fast as a text. */
function codesOf(text: string): Uint8Array {
  if (text.length > buffer.length) return Buffer.from(text, 'latin1');
  buffer.write(text, 'latin1');
  return buffer;
}

function rarestPair(word: string): number {
  let best = 0;
  let bestCount = -1;
  for (let offset = 0; offset + 1 < word.length; offset += 1) {
    const count = [...word.slice(offset, offset + 2)].filter((character) =>
      RARE_CHARACTER.test(character),
    ).length;
    if (count > bestCount) [best, bestCount] = [offset, count];
  }
  return best;
}
