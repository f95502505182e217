import { type Answer } from '../http/answer.js';

const SNIFFED_BYTES = 512;

const SIGNATURES: readonly (readonly [prefix: string, contentType: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['504b0304', 'application/zip'],
  ['1f8b08', 'application/x-gzip'],
];

/** Content type as Workhorse sends it: all text is declared as UTF-8, independent of its encoding. */
export function rawAnswer(content: Buffer, headers: Record<string, string> = {}): Answer {
  const type = sniff(content);
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-disposition': type === 'application/octet-stream' ? 'attachment' : 'inline',
      'cache-control': 'max-age=0, private, must-revalidate, no-store, no-cache',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: content,
  };
}

function sniff(content: Buffer): string {
  const start = content.subarray(0, SNIFFED_BYTES);
  const hex = start.subarray(0, 8).toString('hex');
  const signature = SIGNATURES.find(([prefix]) => hex.startsWith(prefix));
  if (signature !== undefined) return signature[1];
  if (/^\s*(<\?xml[^>]*>\s*)?(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/i.test(start.toString()))
    return 'image/svg+xml';
  const hasByteOrderMark = /^(fffe|feff|efbbbf)/.test(hex);
  return hasByteOrderMark || !start.some(isBinaryByte)
    ? 'text/plain; charset=utf-8'
    : 'application/octet-stream';
}

/** Bytes that mark binary content by the WHATWG's sniffing rules. */
export function isBinaryByte(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}
