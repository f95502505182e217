import { type Readable } from 'node:stream';

/** The regular answer of a stand-in, before faults change it. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** A stream is sent with chunked encoding, without a length. */
  body: Buffer | Readable;
}

export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}

export function textAnswer(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body: Buffer.from(text) };
}

export function htmlAnswer(status: number, html: string): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(html) };
}

export function redirectAnswer(status: number, location: string): Answer {
  return { status, headers: { location }, body: Buffer.alloc(0) };
}
