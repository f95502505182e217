/** The lowest eight bits of a character; two neighbours make an index. */
const CODES = 256;
/** Pairs of characters with these are rare in texts, so that few places are looked at closely. */
const RARE_CHARACTER = /[^a-z ]/;

interface Anchor {
  word: string;
  /** Where in the word its rarest pair of characters is. */
  offset: number;
}

/** Finds which of many fixed words a text contains: reads the text once, and looks closely only where a pair of characters fits. */
export class Hints {
  /** By pair: where its anchors are; 0 for most, which have none. */
  private readonly pairs = new Uint16Array(CODES * CODES);
  private readonly anchors: Anchor[][] = [[]];

  /** @param words of ASCII, with two characters or more. */
  constructor(words: readonly string[]) {
    for (const word of new Set(words)) {
      const offset = rarestPair(word);
      const pair = word.charCodeAt(offset) * CODES + word.charCodeAt(offset + 1);
      if (this.pairs[pair] === 0) this.pairs[pair] = this.anchors.push([]) - 1;
      this.anchors[this.pairs[pair]!]!.push({ word, offset });
    }
  }

  /** Empty for most texts. */
  in(text: string): ReadonlySet<string> {
    const found = new Set<string>();
    const { pairs } = this;
    const codes = codesOf(text);
    let former = 0;
    for (let index = 0; index < text.length; index += 1) {
      const current = codes[index]!;
      const place = pairs[former * CODES + current]!;
      if (place !== 0) this.look(text, index - 1, this.anchors[place]!, found);
      former = current;
    }
    return found;
  }

  private look(text: string, at: number, anchors: readonly Anchor[], found: Set<string>): void {
    for (const { word, offset } of anchors) if (text.startsWith(word, at - offset)) found.add(word);
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
