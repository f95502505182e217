import { createHash } from 'node:crypto';

/** SHA-256 of the text in UTF-8, hex. */
export function contentHashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The first 64 bits of the SHA-256, for fingerprints: only the few settings of one repository must differ. */
export function shortHash(text: string): string {
  return contentHashOf(text).slice(0, 16);
}
