import { bytesOfPath } from '@core/domain';

/** One character for each byte of the UTF-8 text: git reads patterns and paths byte by byte, so `?` is one byte. */
export function bytesAsText(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** {@link bytesAsText} of a path, whose name may not be UTF-8. */
export function pathBytesAsText(path: string): string {
  return isAscii(path) && !path.includes('\\x') ? path : bytesOfPath(path).toString('latin1');
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
