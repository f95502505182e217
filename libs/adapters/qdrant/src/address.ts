import { RepotideError } from '@core/domain';

/** Qdrant's address in the parts that its client needs. */
export interface QdrantAddress {
  /** Scheme and host, without port and path. */
  origin: string;
  port: number;
  /** Path under which a proxy serves Qdrant, e.g. `/qdrant`; empty for none. */
  prefix: string;
  /** For messages: origin, port and prefix; never credentials. */
  shown: string;
}

/** REST port of every Qdrant client and of the server's default configuration. */
const DEFAULT_PORT = 6333;

/**
 * Reads `QDRANT_URL`. A URL without a port means 6333, as with every Qdrant client. A written port counts, also 443 and
 * 80, which `URL` drops.
 * @throws invalid `vector_store_url_invalid`; the message never quotes the URL, which may contain a password.
 */
export function parseAddress(url: string): QdrantAddress {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw invalidUrl('it is not an http or https URL, e.g. "https://qdrant.example.com:6333"');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw invalidUrl('it contains credentials; put the key into QDRANT_API_KEY instead');
  }
  if (parsed.search !== '' || parsed.hash !== '') {
    throw invalidUrl('it contains a query or fragment; use scheme, host, port and path prefix only');
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
