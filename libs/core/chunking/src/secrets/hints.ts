/** Finds which of many fixed words a text contains, in one search instead of one for each. */
export class Hints {
  private readonly pattern: RegExp;
  /** For each word, those that may begin within it: the search goes on after it. */
  private readonly within: ReadonlyMap<string, readonly string[]>;

  constructor(words: readonly string[]) {
    const all = [...new Set(words)];
    this.pattern = new RegExp(all.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|'), 'g');
    this.within = new Map(
      all.map((word) => [word, all.filter((other) => other !== word && overlaps(word, other))]),
    );
  }

  /** Empty for most texts. */
  in(text: string): ReadonlySet<string> {
    const found = new Set<string>();
    for (const [word] of text.matchAll(this.pattern)) {
      if (found.has(word)) continue;
      found.add(word);
      for (const other of this.within.get(word) ?? []) if (text.includes(other)) found.add(other);
    }
    return found;
  }
}

/** Whether an occurrence of the other word may begin within this word. */
function overlaps(word: string, other: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const rest = word.slice(at);
    if (rest.startsWith(other) || other.startsWith(rest)) return true;
  }
  return false;
}
