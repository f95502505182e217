import {
  parseRetryAfter,
  proxyAdvice,
  reasonOfNoAnswer,
  RepotideError,
  type ErrorKind,
  type RepotideErrorOptions,
} from '@core/domain';
import { tlsAdvice } from '@platform/tls';
import { type QdrantAddress } from './address.js';

/** Carries `retry-after` through the client, see {@link createClient}. */
export const RETRY_AFTER_HEADER = 'x-qdrant-retry-after';

/** The server's message is cut to this length: it helps, but may quote what was sent. */
const MAX_MESSAGE_LENGTH = 300;
/** For a 429 without Retry-After. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

/** The error that the client throws for a non-2xx answer. */
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
    'forbids the request: QDRANT_API_KEY must be allowed to manage collections and aliases, and to write points',
  ],
  404: ['not_found', 'collection_missing', 'does not know the collection'],
  408: ['temporary', 'vector_store_unavailable', 'timed out'],
  407: [
    'forbidden',
    'vector_store_proxy_refused',
    'got no request: the forward proxy expects a user and a password in HTTPS_PROXY and HTTP_PROXY',
  ],
  409: ['conflict', 'vector_store_conflict', 'refused the request in its current state'],
  413: ['invalid', 'vector_store_request_too_large', 'refused the request as too large'],
  422: ['invalid', 'vector_store_refused', 'refused the request'],
  429: ['rate_limited', 'vector_store_rate_limited', 'asks to slow down'],
  // Not temporary: the server does not know the request.
  501: ['invalid', 'vector_store_refused', 'does not support the request'],
  507: ['invalid', 'vector_store_full', 'is full: give it more disk or memory'],
};

/** The server that a failed request was sent to, and the key that must not be shown. */
export interface Target {
  address: QdrantAddress;
  apiKey: string | null;
}

/** Turns what the client threw into a {@link RepotideError} without anything of the request; a quoted key is masked. */
export function translate(thrown: unknown, to: Target, now: Date): RepotideError {
  if (thrown instanceof RepotideError) return thrown;
  if (isHttpFailure(thrown)) return fromAnswer(thrown, to, now);
  const name = nameOf(thrown);
  const cause = (thrown as { cause?: unknown } | null)?.cause;
  // Fetch reports network failures as a TypeError with a cause; an incomplete body is not JSON.
  const isIncomplete = name === 'SyntaxError';
  if (!isIncomplete && !(name === 'TypeError' && cause !== undefined))
    return new RepotideError('internal', 'internal_error', `Qdrant client failed: ${name}`, {
      cause: thrown,
    });
  const reason = reasonOfNoAnswer(cause) ?? (isIncomplete ? 'incomplete answer' : 'connection lost');
  const { shown, origin } = to.address;
  const message =
    `Qdrant at ${shown} cannot be reached (${reason}). Check QDRANT_URL: without a port it means 6333; behind an ` +
    `ingress, write ":443".${proxyAdvice(reason)}${tlsAdvice(reason, 'QDRANT_TLS_DIR', origin.startsWith('https:'))}`;
  return unavailable(message, { cause: thrown, details: { reason } });
}

export function unavailable(message: string, options: RepotideErrorOptions): RepotideError {
  return new RepotideError('temporary', 'vector_store_unavailable', message, options);
}

/** For an answer that does not come from Qdrant, e.g. a proxy's login page. */
export function notQdrant(address: QdrantAddress, status: number): RepotideError {
  const message =
    `The server at ${address.shown} is not Qdrant: its answer (HTTP ${status}) has another format. ` +
    'Check host, port and path prefix of QDRANT_URL.';
  return new RepotideError('invalid', 'vector_store_answer_invalid', message, { details: { status } });
}

function fromAnswer(failure: HttpFailure, { address, apiKey }: Target, now: Date): RepotideError {
  const { status } = failure;
  const text = serverMessage(failure.data, apiKey);
  // Only Qdrant's own 404 means that a collection is missing; a proxy's says nothing about points.
  if (status === 404 && text === null) return notQdrant(address, status);
  const [kind, code, meaning] =
    (isOverBudget(status, text) ? BY_STATUS[413] : BY_STATUS[status]) ?? unlisted(status);
  if (status === 403 && text !== null && /^Storage locked/i.test(text)) {
    const message = `Qdrant at ${address.shown} is locked for writes (HTTP 403). Unlock it, or wait for the maintenance.`;
    return unavailable(message, { details: { status } });
  }
  const limit = LIMITS.find(([words]) => words.test(text ?? ''))?.[1];
  if (limit !== undefined) {
    const message =
      `The collection in Qdrant at ${address.shown} has reached ${limit} of its strict mode (HTTP ${status}). ` +
      'Raise this limit, or register repositories with another collection_name.';
    return new RepotideError('invalid', 'vector_store_full', message, { details: { status, limit } });
  }
  const details = { status, ...strictModeLimits(text) };
  const message = `Qdrant at ${address.shown} ${meaning} (HTTP ${status}).`;
  if (kind !== 'rate_limited' && kind !== 'temporary')
    return new RepotideError(kind, code, message, { details });
  const asked = parseRetryAfter(failure.headers?.get(RETRY_AFTER_HEADER), now.getTime());
  const usual = kind === 'temporary' ? undefined : new Date(now.getTime() + DEFAULT_RETRY_AFTER_MS);
  return new RepotideError(kind, code, message, { details, retryAt: asked ?? usual });
}

/** A 429 for a request that needs more than a whole minute's rate: waiting never helps, a smaller request does. */
function isOverBudget(status: number, text: string | null): boolean {
  return status === 429 && text !== null && /rate limit exceeded, /i.test(text);
}

/** Limits that a smaller request does not keep either, by the words of the server. */
const LIMITS: readonly (readonly [RegExp, string])[] = [
  [/Max points count limit/i, 'max_points_count'],
  [/Max vector storage size limit/i, 'max_collection_vector_size_bytes'],
  [/Max payload storage size limit/i, 'max_collection_payload_size_bytes'],
  [/maximum number of payload indices/i, 'max_payload_index_count'],
];

/** What strict mode refused, by the words of its answer, since it has no code for that. */
function strictModeLimits(text: string | null): {
  max_query_limit?: number;
  is_exact_refused?: true;
  is_index_missing?: true;
  is_batch_refused?: true;
} {
  const limit = /Limit exceeded \d+ > (\d+) for "limit"/.exec(text ?? '')?.[1];
  if (limit !== undefined) return { max_query_limit: Number(limit) };
  if (/for "search batch size"/.test(text ?? '')) return { is_batch_refused: true };
  if (/Index required/i.test(text ?? '')) return { is_index_missing: true };
  return /Exact search disabled/i.test(text ?? '') ? { is_exact_refused: true } : {};
}

function unlisted(status: number): readonly [ErrorKind, string, string] {
  if (status >= 500) return ['temporary', 'vector_store_unavailable', 'failed'];
  return ['invalid', 'vector_store_refused', 'refused the request'];
}

function serverMessage(data: unknown, apiKey: string | null): string | null {
  if (typeof data !== 'object' || data === null || !('status' in data)) return null;
  const { status } = data;
  if (typeof status !== 'object' || status === null || !('error' in status)) return null;
  if (typeof status.error !== 'string') return null;
  // Masked before the cut, which might keep the beginning of the key.
  const text = apiKey === null ? status.error : status.error.replaceAll(apiKey, '[hidden]');
  return text.slice(0, MAX_MESSAGE_LENGTH);
}

function isHttpFailure(thrown: unknown): thrown is HttpFailure {
  return (
    typeof thrown === 'object' && thrown !== null && 'status' in thrown && typeof thrown.status === 'number'
  );
}

/** Checks the shape only, because fetch may throw errors of another realm. */
function nameOf(thrown: unknown): string {
  const name = (thrown as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : typeof thrown;
}

export function hasStatus(error: unknown, ...statuses: number[]): error is RepotideError {
  return error instanceof RepotideError && statuses.includes(Number(error.details['status']));
}

/** The answer, or `empty` when the collection does not exist. */
export async function unlessMissing<T>(answer: Promise<T>, empty: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RepotideError && error.code === 'collection_missing') return empty;
    throw error;
  }
}
