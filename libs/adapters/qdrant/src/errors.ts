import { RepotideError, type ErrorKind } from '@core/domain';
import { type QdrantAddress } from './address.js';

/** Stands in for `retry-after`, see the dispatcher of the client. */
export const RETRY_AFTER_HEADER = 'x-qdrant-retry-after';

/** A server's words are cut here: they help, but may quote what was sent. */
const MAX_SERVER_WORDS = 300;
/** When a 429 names no time. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

/** What a non-2xx answer looks like when it leaves the client. */
interface HttpFailure {
  status: number;
  headers?: { get(name: string): string | null };
  data?: unknown;
}

const BY_STATUS: Readonly<Record<number, readonly [ErrorKind, string, string]>> = {
  400: ['invalid', 'vector_store_refused', 'refused the request'],
  401: ['unauthorized', 'vector_store_key_rejected', 'rejected the key: check QDRANT_API_KEY'],
  403: [
    'forbidden',
    'vector_store_forbidden',
    'forbids this: QDRANT_API_KEY needs write access to the collection',
  ],
  404: ['not_found', 'collection_missing', 'does not know the collection'],
  408: ['temporary', 'vector_store_unavailable', 'ran out of time'],
  409: ['conflict', 'vector_store_conflict', 'refused the request in its present state'],
  413: ['invalid', 'vector_store_request_too_large', 'refused the request as too large'],
  422: ['invalid', 'vector_store_refused', 'refused the request'],
  429: ['rate_limited', 'vector_store_rate_limited', 'asks to slow down'],
  507: ['invalid', 'vector_store_full', 'has no room left: give it more disk or memory'],
};

/** Whom a failed request was sent to, and with which key. */
export interface Counterpart {
  address: QdrantAddress;
  apiKey: string | null;
}

/**
 * Turns what the client threw into a {@link RepotideError}; nothing of the request gets into it, the key not even
 * when the server or a proxy before it repeats it.
 */
export function translate(thrown: unknown, to: Counterpart, now: Date): RepotideError {
  const { address } = to;
  if (thrown instanceof RepotideError) return thrown;
  if (isHttpFailure(thrown)) return fromAnswer(thrown, to, now);
  if (isNetworkFailure(thrown)) {
    return new RepotideError(
      'temporary',
      'vector_store_unavailable',
      `Qdrant at ${address.shown} cannot be reached (${networkReason(thrown)}). Check QDRANT_URL; ` +
        'without a port it means 6333, an ingress needs ":443" written out.',
      { cause: thrown, details: { reason: networkReason(thrown) } },
    );
  }
  return new RepotideError('internal', 'internal_error', `Qdrant client failed: ${nameOf(thrown)}`, {
    cause: thrown,
  });
}

/** The error of an answer that no Qdrant would give, e.g. a proxy's login page. */
export function notQdrant(address: QdrantAddress, status: number): RepotideError {
  return new RepotideError(
    'invalid',
    'vector_store_answer_invalid',
    `What answers at ${address.shown} is not Qdrant (HTTP ${status} of another shape). ` +
      'Check host, port and path prefix of QDRANT_URL.',
    { details: { status } },
  );
}

function fromAnswer(failure: HttpFailure, { address, apiKey }: Counterpart, now: Date): RepotideError {
  const { status } = failure;
  const words = serverWords(failure.data, apiKey);
  // A 404 must be Qdrant's own to mean that a collection is missing: a proxy's says nothing about points.
  if (status === 404 && words === null) return notQdrant(address, status);
  const [kind, code, meaning] = BY_STATUS[status] ?? unlisted(status);
  const said = words === null ? '' : ` It said: ${words}`;
  const details = { status };
  const message = `Qdrant at ${address.shown} ${meaning} (HTTP ${status}).${said}`;
  if (kind !== 'rate_limited') return new RepotideError(kind, code, message, { details });
  const retryAt = parseRetryAfter(failure.headers?.get(RETRY_AFTER_HEADER) ?? null, now);
  return new RepotideError(kind, code, message, { details, retryAt });
}

function unlisted(status: number): readonly [ErrorKind, string, string] {
  if (status >= 500) return ['temporary', 'vector_store_unavailable', 'failed'];
  return ['invalid', 'vector_store_refused', 'refused the request'];
}

/** RFC 9110: seconds or an HTTP date. */
function parseRetryAfter(header: string | null, now: Date): Date {
  const fallback = new Date(now.getTime() + DEFAULT_RETRY_AFTER_MS);
  if (header === null) return fallback;
  if (/^\d+$/.test(header.trim())) return new Date(now.getTime() + Number(header) * 1000);
  const date = new Date(header);
  return Number.isNaN(date.getTime()) ? fallback : date;
}

function serverWords(data: unknown, apiKey: string | null): string | null {
  if (typeof data !== 'object' || data === null || !('status' in data)) return null;
  const { status } = data;
  if (typeof status !== 'object' || status === null || !('error' in status)) return null;
  if (typeof status.error !== 'string') return null;
  // Before the cut, which might leave the beginning of the key.
  const words = apiKey === null ? status.error : status.error.replaceAll(apiKey, '[hidden]');
  return words.slice(0, MAX_SERVER_WORDS);
}

function isHttpFailure(thrown: unknown): thrown is HttpFailure {
  return (
    typeof thrown === 'object' && thrown !== null && 'status' in thrown && typeof thrown.status === 'number'
  );
}

/** As much of an Error as is needed: fetch may throw those of another realm, where `instanceof` fails. */
interface ErrorLike {
  name: string;
  cause?: unknown;
}

/** Fetch reports the network as a TypeError with a cause; a body cut short is not JSON. */
function isNetworkFailure(thrown: unknown): thrown is ErrorLike {
  if (!isErrorLike(thrown)) return false;
  return thrown.name === 'SyntaxError' || (thrown.name === 'TypeError' && thrown.cause !== undefined);
}

function isErrorLike(thrown: unknown): thrown is ErrorLike {
  return typeof thrown === 'object' && thrown !== null && 'name' in thrown && typeof thrown.name === 'string';
}

function networkReason(error: ErrorLike): string {
  const { cause } = error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string') {
    return cause.code;
  }
  return error.name === 'SyntaxError' ? 'answer cut short' : 'connection lost';
}

function nameOf(thrown: unknown): string {
  return isErrorLike(thrown) ? thrown.name : typeof thrown;
}
