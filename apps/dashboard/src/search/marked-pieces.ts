import { type Token } from '../highlight/highlight.js';

interface Piece extends Token {
  isMarked: boolean;
}

/** Cuts the tokens of a line where a marked range begins or ends. */
export function markedPieces(
  tokens: readonly Token[],
  marks: readonly { start: number; end: number }[],
): Piece[] {
  const pieces: Piece[] = [];
  let position = 0;
  for (const { text, kind } of tokens) {
    const end = position + text.length;
    const inside = marks
      .flatMap((mark) => [mark.start, mark.end])
      .filter((cut) => cut > position && cut < end);
    const cuts = [...new Set([position, ...inside, end])].toSorted((left, right) => left - right);
    for (const [index, start] of cuts.slice(0, -1).entries()) {
      const isMarked = marks.some((mark) => mark.start <= start && start < mark.end);
      pieces.push({ text: text.slice(start - position, cuts[index + 1]! - position), kind, isMarked });
    }
    position = end;
  }
  return pieces;
}
