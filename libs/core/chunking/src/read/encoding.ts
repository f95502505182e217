import { type SkipVerdict } from '../rules/tree-rules.js';

type UnicodeEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';
export type TextEncoding = UnicodeEncoding | 'windows-1252';

export type Decoded =
  { kind: 'text'; text: string; encoding: TextEncoding } | ({ kind: 'skipped' } & SkipVerdict);

/** Windows-1252 from 0x80 to 0x9F; elsewhere it equals Latin-1. NUL marks its five undefined bytes. */
const WINDOWS_1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

/** Characters that no text contains: decoding in the wrong byte order soon produces one. */
const IMPLAUSIBLE = /(?![\t\n\f\r])[\p{Cc}\p{Cn}\p{Co}]/u;

/**
 * Decodes by byte order mark, then by the share of NUL bytes (UTF-16 without a mark), then strictly as UTF-8, then as
 * Windows-1252. The text has no byte order mark and no lone surrogate.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  if (startsWith(bytes, [0xff, 0xfe, 0, 0]) || startsWith(bytes, [0, 0, 0xfe, 0xff])) {
    return unsupported('UTF-32 byte order mark; save it as UTF-8');
  }
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return decodeMarked(bytes, 'utf-8');
  if (startsWith(bytes, [0xff, 0xfe])) return decodeMarked(bytes, 'utf-16le');
  if (startsWith(bytes, [0xfe, 0xff])) return decodeMarked(bytes, 'utf-16be');
  const nul = bytes.indexOf(0);
  if (nul >= 0) return decodeUnmarkedUtf16(bytes) ?? binary(`NUL byte at offset ${nul}`);
  const text = decodeStrictly(bytes, 'utf-8');
  return text === null ? decodeLegacy(bytes) : { kind: 'text', text, encoding: 'utf-8' };
}

function decodeMarked(bytes: Uint8Array, encoding: UnicodeEncoding): Decoded {
  const text = decodeStrictly(bytes, encoding);
  if (text !== null) return { kind: 'text', text, encoding };
  return unsupported(`${encoding.toUpperCase()} byte order mark, but the content is not valid in it`);
}

/** Null when the bytes are not UTF-16: odd length, lone surrogates, or implausible characters. */
function decodeUnmarkedUtf16(bytes: Uint8Array): Decoded | null {
  if (bytes.length % 2 !== 0) return null;
  const nulsAt = [0, 0];
  bytes.forEach((byte, index) => {
    if (byte === 0) nulsAt[index % 2] = (nulsAt[index % 2] ?? 0) + 1;
  });
  const [atEven = 0, atOdd = 0] = nulsAt;
  // Latin text has NULs as high bytes: the second of each pair in little endian.
  const orders = atOdd >= atEven ? (['utf-16le', 'utf-16be'] as const) : (['utf-16be', 'utf-16le'] as const);
  for (const encoding of orders) {
    const text = decodeStrictly(bytes, encoding);
    if (text === null || IMPLAUSIBLE.test(text)) continue;
    const highByteNuls = encoding === 'utf-16le' ? atOdd : atEven;
    // A few units may be valid by chance; line breaks, or mostly Latin letters, are not chance.
    if (text.includes('\n') || highByteNuls * 4 >= bytes.length) return { kind: 'text', text, encoding };
  }
  return null;
}

function decodeLegacy(bytes: Uint8Array): Decoded {
  const damage = damageInUtf8(bytes);
  if (damage !== null) return unsupported(damage);
  if (bytes.some(isControl)) return binary('not UTF-8, and with control characters');
  if (bytes.some((byte) => byte >= 0x80 && byte <= 0x9f && WINDOWS_1252[byte - 0x80] === '\0')) {
    return unsupported('neither UTF-8, UTF-16 nor Windows-1252; save it as UTF-8');
  }
  const runs = shareInRuns(bytes);
  if (runs.inRuns * 3 > runs.high) {
    return unsupported(
      `not UTF-8, and not Western European: ${runs.inRuns} of ${runs.high} bytes above 127 are in runs; ` +
        'save it as UTF-8',
    );
  }
  return { kind: 'text', text: decodeWindows1252(bytes), encoding: 'windows-1252' };
}

/** Detects UTF-8 with some invalid bytes, which would be garbled as Windows-1252. */
function damageInUtf8(bytes: Uint8Array): string | null {
  let damaged = 0;
  let valid = 0;
  for (const character of new TextDecoder('utf-8').decode(bytes)) {
    if (character === '\ufffd') damaged += 1;
    else if (character > '\x7f') valid += 1;
  }
  if (valid < damaged) return null;
  return `UTF-8 with ${damaged} invalid byte sequences among ${valid} valid ones; save it as UTF-8`;
}

/**
 * Western European words have single accented letters, rarely two in a row. In Cyrillic, Greek and East Asian encodings
 * most bytes above 127 are in runs of three or more.
 */
function shareInRuns(bytes: Uint8Array): { high: number; inRuns: number } {
  let high = 0;
  let inRuns = 0;
  let run = 0;
  for (const byte of bytes) {
    run = byte >= 0x80 ? run + 1 : 0;
    if (run > 0) high += 1;
    if (run === 3) inRuns += 3;
    else if (run > 3) inRuns += 1;
  }
  return { high, inRuns };
}

/** Uses a table: TextDecoder decodes 0x80-0x9F as control characters in Node 20.18.3 to 24 (nodejs/node#56542). */
function decodeWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return latin1.replace(/[\u0080-\u009f]/g, (unit) => WINDOWS_1252[unit.charCodeAt(0) - 0x80] ?? unit);
}

function decodeStrictly(bytes: Uint8Array, encoding: UnicodeEncoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** C0 controls that texts do not have; tab, line ends, form feed, backspace and escape are in logs and man pages. */
export function isControl(code: number): boolean {
  return code < 0x08 || code === 0x0b || (code > 0x0d && code < 0x20 && code !== 0x1b) || code === 0x7f;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

function binary(detail: string): Decoded {
  return { kind: 'skipped', reason: 'binary', detail };
}

function unsupported(detail: string): Decoded {
  return { kind: 'skipped', reason: 'unsupported_encoding', detail };
}
