import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import { RepotideError } from '@core/domain';

/** A half-open range of a text, in UTF-16 code units. */
export interface TextSpan {
  start: number;
  end: number;
}

export interface SplitSettings {
  /** Characters (UTF-16 code units). */
  chunkSize: number;
  /** Characters that neighbouring chunks share at most. */
  chunkOverlap: number;
}

/** A chunk of text without separators is merged from about this many blocks. */
const BLOCKS_PER_CHUNK = 64;

/**
 * LangChain's recursive splitter, returning positions instead of trimmed copies, whose position would be ambiguous in
 * repetitive text. It merges every piece of the text exactly once and in order, so a cursor in {@link mergeSplits} knows
 * each position. One instance splits one text.
 */
class SpanSplitter extends RecursiveCharacterTextSplitter {
  private readonly spans: TextSpan[] = [];
  private cursor = 0;

  constructor(
    private readonly text: string,
    separators: string[],
    settings: SplitSettings,
  ) {
    super({ ...settings, separators, keepSeparator: true });
  }

  async splitSpans(): Promise<TextSpan[]> {
    await this.splitText(this.text);
    if (this.cursor !== this.text.length) {
      throw new RepotideError(
        'internal',
        'splitter_lost_text',
        `The splitter returned ${this.cursor} of ${this.text.length} characters; expected all of them.`,
      );
    }
    return this.spans;
  }

  /** Like the base class: merges pieces up to the chunk size, then keeps the last ones as overlap. */
  override mergeSplits(pieces: string[]): Promise<string[]> {
    let start = this.cursor;
    let end = start;
    let oldest = 0;
    for (const piece of pieces) {
      const isFull = (): boolean => end > start && end - start + piece.length > this.chunkSize;
      if (isFull()) {
        this.keep(start, end);
        while (end - start > this.chunkOverlap || isFull()) start += pieces[oldest++]?.length ?? 0;
      }
      end += piece.length;
    }
    this.keep(start, end);
    this.cursor = end;
    return Promise.resolve([]);
  }

  /** Blocks instead of single characters: faster, and they do not split surrogate pairs. */
  protected override splitOnSeparator(text: string, separator: string): string[] {
    if (separator !== '') return super.splitOnSeparator(text, separator);
    const blockLength = Math.max(1, Math.floor(this.chunkSize / BLOCKS_PER_CHUNK));
    const blocks: string[] = [];
    for (let start = 0; start < text.length;) {
      let end = Math.min(start + blockLength, text.length);
      if (isInsidePair(text, end)) end += 1;
      blocks.push(text.slice(start, end));
      start = end;
    }
    return blocks;
  }

  /** Adds a trimmed span, unless the previous one contains it; replaces the previous one that it contains. */
  private keep(rawStart: number, rawEnd: number): void {
    const span = trimSpan(this.text, rawStart, rawEnd);
    const previous = this.spans.at(-1);
    if (span === null || (previous !== undefined && span.end <= previous.end)) return;
    if (previous?.start === span.start) this.spans.pop();
    this.spans.push(span);
  }
}

function isInsidePair(text: string, index: number): boolean {
  const unit = text.charCodeAt(index - 1);
  return index < text.length && unit >= 0xd800 && unit <= 0xdbff;
}

/** Removes blank lines around the span and trailing whitespace; a complete first line keeps its indentation. */
function trimSpan(text: string, start: number, end: number): TextSpan | null {
  const raw = text.slice(start, end);
  const leading = raw.length - raw.trimStart().length;
  if (leading === raw.length) return null;
  const indentation = raw.slice(0, leading).lastIndexOf('\n') + 1;
  const startsLine = indentation > 0 || start === 0 || text[start - 1] === '\n';
  return { start: start + (startsLine ? indentation : leading), end: start + raw.trimEnd().length };
}

/**
 * Cuts a text into overlapping spans of at most `chunkSize`. Starts and ends increase; every character outside the
 * spans is whitespace; no span splits a surrogate pair. The time is linear in the length of the text.
 */
export function splitIntoSpans(
  text: string,
  separators: string[],
  settings: SplitSettings,
): Promise<TextSpan[]> {
  return new SpanSplitter(text, separators, settings).splitSpans();
}
