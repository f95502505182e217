/** A byte that is not UTF-8, or the backslash of a name that would otherwise read like one. */
const ESCAPE = /\\x(5C|[89A-F][0-9A-F])/g;
const LIKE_AN_ESCAPE = /\\(?=x(?:5C|[89A-F][0-9A-F]))/g;
/** Whole UTF-8 sequences of several bytes, one character for each byte; a byte outside of them is captured. */
const SEQUENCE =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g;

/**
 * The path of a git name or path. Git's names are bytes, and a path is text that stands for exactly one of them: a byte that is
 * not UTF-8 is written as `\xE4`. All other names are their own text, except the backslash before such an `xE4`: it is `\x5C`.
 */
export function pathOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return pathOfText(bytes.toString('utf8'));
  const escaped = bytes
    .toString('latin1')
    .replace(LIKE_AN_ESCAPE, '\\x5C')
    .replace(SEQUENCE, (found, alone?: string) => (alone === undefined ? found : escapeOf(alone)));
  return Buffer.from(escaped, 'latin1').toString('utf8');
}

/** {@link pathOf} for a name that a code host sends as text. */
export function pathOfText(name: string): string {
  return name.includes('\\x') ? name.replace(LIKE_AN_ESCAPE, '\\x5C') : name;
}

/** False: the name of the path is not UTF-8, so that no text is equal to it. */
export function isExactText(path: string): boolean {
  return !path.includes('\\x') || isUtf8(bytesOfPath(path));
}

/** The bytes of a {@link pathOf}, as git stores them. */
export function bytesOfPath(path: string): Buffer {
  const bytes = Buffer.from(path, 'utf8');
  if (!path.includes('\\x')) return bytes;
  const byteOf = (_: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));
  return Buffer.from(bytes.toString('latin1').replace(ESCAPE, byteOf), 'latin1');
}

function escapeOf(byte: string): string {
  return `\\x${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Decoding replaces what is not UTF-8, so that the text has other bytes. */
function isUtf8(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return !text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(bytes);
}
