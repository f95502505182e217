import { binaryFormatOf } from './binary-signature.js';
import { decodeText, isControl, type Decoded } from './encoding.js';
import { isProse, languageOf } from '../language.js';
import { minifiedDetail } from './minified.js';
import { readNotebook } from './notebook.js';

export interface ReadSettings {
  /** Its language decides whether the content is a notebook, and whether it may count as minified. */
  path: string;
  maxFileBytes: number;
}

/** The text of a file, or why it has none to index. */
export type ReadResult =
  | (Extract<Decoded, { kind: 'text' }> & {
      /** For each line of the text, the line of the file that holds it; null when they are the same. */
      fileLines: readonly number[] | null;
    })
  | Skipped;

type Skipped = Extract<Decoded, { kind: 'skipped' }>;

/** Git LFS stores a pointer instead of the file: under 1024 bytes, `version` first. Hawser is its former name. */
const LFS_POINTER = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v\d+\r?\n/;
const LFS_POINTER_MAX_BYTES = 1024;

/** Texts have no control characters; one in twenty tolerates a damaged log. */
const CONTROL_SHARE = 0.05;

/**
 * Decides by content whether a file is text, and decodes it: UTF-8, UTF-16 in either byte order with or without byte
 * order mark, Windows-1252 (includes Latin-1). The text has no byte order mark, no NUL, no lone surrogate, and is not
 * blank. A notebook's text is that of its cells; a file that only has the name of one is read as it is. Never throws.
 */
export function readText(bytes: Uint8Array, { path, maxFileBytes }: ReadSettings): ReadResult {
  if (bytes.length === 0) return skipped('empty', '0 bytes');
  if (bytes.length > maxFileBytes) {
    return skipped('too_large', `${bytes.length} bytes, limit ${maxFileBytes}`);
  }
  const pointer = lfsPointerDetail(bytes);
  if (pointer !== null) return skipped('lfs_pointer', pointer);
  const format = binaryFormatOf(bytes);
  if (format !== null) return skipped('binary', format);
  const decoded = decodeText(bytes);
  return decoded.kind === 'text' ? judge(decoded, languageOf(path)) : decoded;
}

function judge(decoded: Extract<Decoded, { kind: 'text' }>, language: string | null): ReadResult {
  const notebook = language === 'jupyter' ? readNotebook(decoded.text) : null;
  const { text } = notebook ?? decoded;
  if (text.trim() === '') return skipped('empty', notebook === null ? 'only whitespace' : 'no cell has text');
  const nul = text.indexOf('\0');
  if (nul >= 0) return skipped('binary', `NUL character at position ${nul}`);
  const controls = countControls(text);
  if (controls > text.length * CONTROL_SHARE) {
    return skipped('binary', `${controls} control characters among ${text.length}`);
  }
  const minified = isProse(language) || language === 'jupyter' ? null : minifiedDetail(text);
  if (minified !== null) return skipped('minified', minified);
  return { ...decoded, text, fileLines: notebook?.fileLines ?? null };
}

function lfsPointerDetail(bytes: Uint8Array): string | null {
  if (bytes.length >= LFS_POINTER_MAX_BYTES) return null;
  const text = Buffer.from(bytes).toString('latin1');
  if (!LFS_POINTER.test(text)) return null;
  const size = /^size (\d+)\r?$/m.exec(text)?.[1];
  return size === undefined
    ? 'pointer to a file in Git LFS'
    : `pointer to a file of ${size} bytes in Git LFS`;
}

function countControls(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (isControl(text.charCodeAt(index))) count += 1;
  }
  return count;
}

function skipped(reason: Skipped['reason'], detail: string): Skipped {
  return { kind: 'skipped', reason, detail };
}
