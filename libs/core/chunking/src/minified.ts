/** About 330 words: longer than hand-written lines and unwrapped paragraphs. */
const LONG_LINE = 2_000;

/** Tools that wrap minified code do so at 500 characters (Closure Compiler) or more; code and prose average below 200. */
const DENSE_LINE = 300;

/** Minified code has 2-6 % whitespace, prose about 16 %, indented code 20 % or more. */
const DENSE_WHITESPACE_SHARE = 0.08;

interface LineFacts {
  longest: number;
  inLongLines: number;
  filledLines: number;
  whitespace: number;
  ascii: number;
}

/**
 * Why a text counts as minified or generated; null when it does not. Its vectors would mean nothing, and one bundle costs
 * as much as the sources around it. It is minified when
 *
 * - more than half of it is in lines of over 2000 characters (bundles, one-line JSON, embedded data), or
 * - its lines average over 300 characters with very little whitespace (wrapped minified code).
 */
export function minifiedDetail(text: string): string | null {
  if (text.length <= LONG_LINE) return null;
  const facts = lineFactsOf(text);
  if (facts.inLongLines * 2 > text.length) {
    const percent = Math.round((100 * facts.inLongLines) / text.length);
    return `longest line ${facts.longest} characters; ${percent} % of the text in lines over ${LONG_LINE}`;
  }
  const average = Math.round(text.length / facts.filledLines);
  const whitespaceShare = facts.whitespace / text.length;
  // Scripts without spaces between words always have little whitespace.
  const isMostlyAscii = facts.ascii * 2 > text.length;
  if (isMostlyAscii && average > DENSE_LINE && whitespaceShare < DENSE_WHITESPACE_SHARE) {
    const percent = (100 * whitespaceShare).toFixed(1);
    return `lines average ${average} characters with ${percent} % whitespace; limits ${DENSE_LINE} and ${100 * DENSE_WHITESPACE_SHARE} %`;
  }
  return null;
}

function lineFactsOf(text: string): LineFacts {
  const facts: LineFacts = { longest: 0, inLongLines: 0, filledLines: 0, whitespace: 0, ascii: 0 };
  let lineLength = 0;
  const endLine = (): void => {
    if (lineLength > 0) facts.filledLines += 1;
    if (lineLength > LONG_LINE) facts.inLongLines += lineLength;
    facts.longest = Math.max(facts.longest, lineLength);
    lineLength = 0;
  };
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) facts.ascii += 1;
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) facts.whitespace += 1;
    if (code === 0x0a) endLine();
    else if (code !== 0x0d) lineLength += 1;
  }
  endLine();
  return facts;
}
