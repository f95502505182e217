import { definedNames } from './definitions.js';
import { wordOf, wordsOf } from './words.js';

/** A part that only begins like a word of the question, or the other way round: `param` and `parameter`. */
const ABBREVIATION = 0.8;
const SHORTEST_ABBREVIATION = 3;
const PROSE = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
const HEADING = /^(?:#{1,6}|={1,6})\s+(.{1,200})$/gm;

export interface Passage {
  path: string;
  text: string;
}

/**
 * How well the best name that a passage defines fits a question, 0 to 1: it is 1 when the name and the file's name
 * together say what the question says, and nothing else. The lexical lane cannot know this: it counts the words of the
 * question that a text has, and not the words of a name that the question lacks.
 */
export function nameFitOf(question: string): (passage: Passage) => number {
  const stems = partsOf(question);
  const known = new Map<string, number>();
  const credit = (part: string): number => {
    let value = known.get(part);
    if (value === undefined) known.set(part, (value = creditOf(part, stems)));
    return value;
  };
  const creditsOf = (parts: readonly string[]) => parts.reduce((sum, part) => sum + credit(part), 0);
  return ({ path, text }) => {
    const ofFile = partsOf(path.replace(/^.*\//, '').replace(/(?<=.)\.[^.]*$/, ''));
    let best = 0;
    for (const parts of namesIn({ path, text })) {
      const said = creditsOf(parts);
      if (said === 0) continue;
      const others = ofFile.filter((part) => !parts.includes(part));
      const precision = said / parts.length;
      const recall = Math.min(1, (said + creditsOf(others)) / stems.length);
      best = Math.max(best, (2 * precision * recall) / (precision + recall));
    }
    return best;
  };
}

function creditOf(part: string, stems: readonly string[]): number {
  if (stems.includes(part)) return 1;
  const isShort = (word: string) => word.length < SHORTEST_ABBREVIATION;
  const isLike = (stem: string) => !isShort(stem) && (stem.startsWith(part) || part.startsWith(stem));
  return !isShort(part) && stems.some(isLike) ? ABBREVIATION : 0;
}

/** The parts of each defined name; of prose, the words of each heading. */
function namesIn({ path, text }: Passage): (readonly string[])[] {
  const names = PROSE.test(path)
    ? Array.from(text.matchAll(HEADING), ([, heading]) => partsOf(heading!))
    : [...new Set(definedNames(text))].map((name) => wordOf(name).parts);
  return names.map((parts) => [...new Set(parts)]);
}

/** Each once. */
function partsOf(text: string): string[] {
  return [...new Set(wordsOf(text).flatMap(({ parts }) => parts))];
}
