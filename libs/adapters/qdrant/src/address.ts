import { RepotideError } from '@core/domain';

/** Where Qdrant answers, taken apart the way its client needs it. */
export interface QdrantAddress {
  /** Scheme and host, without port and path. */
  origin: string;
  port: number;
  /** Path that a proxy serves Qdrant under, e.g. `/qdrant`; empty when there is none. */
  prefix: string;
  /** For messages: origin, port and prefix; never credentials. */
  shown: string;
}

/** REST port of every Qdrant client and of the server's own configuration. */
const DEFAULT_PORT = 6333;

/**
 * Reads `QDRANT_URL`. A URL without a port means 6333, as with every Qdrant client; a written port is obeyed, also
 * 443 and 80, which `URL` drops and the client would then turn into 6333.
 * @throws invalid `vector_store_url_invalid`; the message never repeats the URL, which may hold a password.
 */
export function parseAddress(url: string): QdrantAddress {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw invalidUrl('it is not an http or https URL, e.g. "https://qdrant.example.com:6333"');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw invalidUrl('it holds credentials; put the key into QDRANT_API_KEY instead');
  }
  if (parsed.search !== '' || parsed.hash !== '') {
    throw invalidUrl('it holds a query or fragment; only scheme, host, port and path prefix are read');
  }
  const origin = `${parsed.protocol}//${parsed.hostname}`;
  const port = writtenPort(url, parsed) ?? DEFAULT_PORT;
  const prefix = parsed.pathname.replace(/\/+$/, '');
  return { origin, port, prefix, shown: `${origin}:${port}${prefix}` };
}

function writtenPort(url: string, parsed: URL): number | null {
  if (parsed.port !== '') return Number(parsed.port);
  const schemeDefault = parsed.protocol === 'https:' ? 443 : 80;
  const authority = /^\s*[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  return authority.endsWith(`:${schemeDefault}`) ? schemeDefault : null;
}

function invalidUrl(reason: string): RepotideError {
  return new RepotideError('invalid', 'vector_store_url_invalid', `QDRANT_URL cannot be used: ${reason}.`);
}
