/** About 330 words: longer than hand-written lines and unwrapped paragraphs. */
const LONG_LINE = 2_000;

/** Tools that wrap minified code do so at 500 characters (Closure Compiler) or more; code and prose average below 200. */
const DENSE_LINE = 300;

/** Minified code has 2-6 % whitespace, prose about 16 %, indented code 20 % or more. */
const DENSE_WHITESPACE_SHARE = 0.08;

/**
 * Why code or data counts as minified or generated; null when it does not. Its vectors would mean nothing, and one bundle
 * costs as much as the sources around it. It is minified when
 *
 * - more than half of it is in lines of over 2000 characters (bundles, one-line JSON, embedded data), or
 * - its lines average over 300 characters with very little whitespace (wrapped minified code).
 */
export function minifiedDetail(text: string): string | null {
  if (text.length <= LONG_LINE || !hasLineOver(text, DENSE_LINE)) return null;
  // Files of old programs end their lines with a carriage return alone.
  const lengths = text.split(/\r\n?|\n/).map((line) => line.length);
  const long = lengths.filter((length) => length > LONG_LINE);
  const inLongLines = long.reduce((sum, length) => sum + length, 0);
  if (inLongLines * 2 > text.length) {
    const percent = Math.round((100 * inLongLines) / text.length);
    return `longest line ${Math.max(...long)} characters; ${percent} % of the text in lines over ${LONG_LINE}`;
  }
  const average = Math.round(text.length / lengths.filter((length) => length > 0).length);
  if (average <= DENSE_LINE) return null;
  const whitespaceShare = 1 - text.replace(/\s+/g, '').length / text.length;
  // Scripts without spaces between words always have little whitespace.
  const isMostlyAscii = text.replace(/[\u0080-\uffff]+/g, '').length * 2 > text.length;
  if (isMostlyAscii && whitespaceShare < DENSE_WHITESPACE_SHARE) {
    const percent = (100 * whitespaceShare).toFixed(1);
    return `lines average ${average} characters with ${percent} % whitespace; limits ${DENSE_LINE} and ${100 * DENSE_WHITESPACE_SHARE} %`;
  }
  return null;
}

/** Most texts have none. A carriage return ends no line here, so a text with many of them is read closely. */
function hasLineOver(text: string, length: number): boolean {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    if ((end < 0 ? text.length : end) - start > length) return true;
    if (end < 0) return false;
    start = end + 1;
  }
  return false;
}
