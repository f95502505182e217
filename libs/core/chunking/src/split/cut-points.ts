/** Positions of a text, both included. */
export interface Range {
  from: number;
  to: number;
}

/** Enough text after a range to see the indentation, or the heading, of its last line. */
const LOOK_AHEAD = 160;

/** A line that only ends what former lines began. */
const CLOSING = /^\s*(?:[}\])]|<\/|end\b)/;

const MAX_INDENTATION = 16;

/**
 * The last of the best line starts in a range; null when it has none after its first filled line. Indentation shows the
 * structure of nearly every language, so the best line is a heading, then the least indented one after a blank line or
 * after the end of a block, then the least indented other one; a line that ends a block is the worst.
 */
export function cutAtStructure(text: string, { from, to }: Range, heading: RegExp | null): number | null {
  const lines = text.slice(from, to + LOOK_AHEAD).split('\n');
  let best: number | null = null;
  let bestScore = 0;
  let position = from;
  let isFilled = false;
  for (const [index, before] of lines.entries()) {
    position += before.length + 1;
    isFilled ||= before.trim() !== '';
    if (position > to) break;
    const score = isFilled ? scoreOf(before, lines.slice(index + 1, index + 3), heading) : 0;
    if (score > 0 && score >= bestScore) [best, bestScore] = [position, score];
  }
  return best;
}

function scoreOf(before: string, [line = '', next = '']: readonly string[], heading: RegExp | null): number {
  const filled = line.trimStart();
  if (filled === '' || CLOSING.test(line)) return 1;
  const isSeparated = before.trim() === '' || CLOSING.test(before);
  if (isSeparated && heading?.test(`${line}\n${next}`)) return 60 - (/^[#=]*/.exec(line)?.[0].length ?? 0);
  return (isSeparated ? 40 : 20) - Math.min(line.length - filled.length, MAX_INDENTATION);
}

/** The line start nearest to the target, rather of a filled line than of a blank one; a place in a line without any. */
export function cutNearLine(text: string, target: number, range: Range): number {
  const isLineStart = (at: number): boolean => text[at - 1] === '\n';
  return (
    nearest(target, range, (at) => isLineStart(at) && !/[\r\n]/.test(text[at] ?? '')) ??
    nearest(target, range, isLineStart) ??
    cutInLine(text, target, range)
  );
}

/** The place nearest to the target where a word begins, or else punctuation; never inside a surrogate pair. */
export function cutInLine(text: string, target: number, range: Range): number {
  const isWordStart = (at: number): boolean => isBlank(text[at - 1]) && !isBlank(text[at]);
  const isWordEdge = (at: number): boolean => !(isWordPart(text[at - 1]) && isWordPart(text[at]));
  return (
    nearest(target, range, isWordStart) ??
    nearest(target, range, isWordEdge) ??
    (/[\udc00-\udfff]/.test(text[target] ?? '') ? target - 1 : target)
  );
}

function nearest(target: number, { from, to }: Range, isGood: (at: number) => boolean): number | null {
  const farthest = Math.max(target - from, to - target);
  for (let distance = 0; distance <= farthest; distance += 1) {
    if (target - distance >= from && isGood(target - distance)) return target - distance;
    if (target + distance <= to && isGood(target + distance)) return target + distance;
  }
  return null;
}

function isBlank(character: string | undefined): boolean {
  return character === undefined || character.trim() === '';
}

/** Letters and digits of any script, halves of surrogate pairs included. */
function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\w\u0080-\uffff]/.test(character);
}
