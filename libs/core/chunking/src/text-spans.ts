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

/** Where nothing but a hard cut is left, a chunk is put together from about this many blocks. */
const BLOCKS_PER_CHUNK = 64;

/**
 * LangChain's recursive splitter, which answers positions instead of strings. Its own answer is trimmed copies whose
 * place cannot be found again in repetitive text. It merges every piece of the text exactly once and in order, so a
 * cursor over {@link mergeSplits} knows each piece's true place. One instance splits one text.
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
        `The splitter handed out ${this.cursor} of ${this.text.length} characters; expected all of them.`,
      );
    }
    return this.spans;
  }

  /** Same rule as the base class: whole pieces up to the chunk size, then keep a tail of them as overlap. */
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

  /** Single characters would cost a promise each and cut surrogate pairs in two; blocks do neither. */
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

  /** Keeps a span without the blank around it, unless it adds nothing to the one before, or replaces it whole. */
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

/** Without blank lines around it and without trailing blanks; a first line that is whole keeps its indentation. */
function trimSpan(text: string, start: number, end: number): TextSpan | null {
  const raw = text.slice(start, end);
  const leading = raw.length - raw.trimStart().length;
  if (leading === raw.length) return null;
  const indentation = raw.slice(0, leading).lastIndexOf('\n') + 1;
  const startsLine = indentation > 0 || start === 0 || text[start - 1] === '\n';
  return { start: start + (startsLine ? indentation : leading), end: start + raw.trimEnd().length };
}

/**
 * Cuts a text into overlapping spans of at most `chunkSize`. Starts and ends both grow; every character outside the
 * spans is blank; no span cuts a surrogate pair. Time grows with the length of the text, whatever its lines.
 */
export function splitIntoSpans(
  text: string,
  separators: string[],
  settings: SplitSettings,
): Promise<TextSpan[]> {
  return new SpanSplitter(text, separators, settings).splitSpans();
}
