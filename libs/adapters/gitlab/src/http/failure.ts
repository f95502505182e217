import { type IncomingHttpHeaders } from 'node:http';
import {
  type ErrorKind,
  proxyAdvice,
  reasonOfNoAnswer,
  RepotideError,
  type RepotideErrorOptions,
  toRepotideError,
} from '@core/domain';
import { tlsAdvice } from '@platform/tls';
import { quotaResetAt, retryAfter } from './rate-limit-headers.js';
import { GITLAB_WORDS, type HostWords } from './host-words.js';
import { parseJson } from './response-body.js';

/** The host that a request was sent to, and the token that it carried; null: none. */
export interface RequestTarget {
  baseUrl: string;
  token: string | null;
  /** Absent: those of a GitLab. */
  words?: HostWords;
}

export interface FailedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  bodyText: string;
}

/** Translates a response outside 2xx. A 404 becomes `source_not_found`: only the caller knows what it requested. */
export function failureOfResponse(target: RequestTarget, response: FailedResponse, now: Date): RepotideError {
  const { status, headers, bodyText } = response;
  const { words = GITLAB_WORDS } = target;
  // Never with the body: the caller may have chosen the server, and would read what the pod can reach.
  const found = `${words.name} at ${target.baseUrl} answered ${status}`;
  const fail = (kind: ErrorKind, code: string, advice: string, options: RepotideErrorOptions = {}) =>
    new RepotideError(kind, code, `${found}: ${advice}`, { ...options, details: detailsOf(response) });
  const noToken = target.token === null ? words.noToken : undefined;

  if (status === 401) {
    const advice = `the token is wrong, expired or revoked. Renew ${words.tokenSetting} (scope ${words.scope}).`;
    return fail('unauthorized', 'source_token_rejected', noToken ?? advice);
  }
  if (status === 403 && isInsufficientScope(bodyText)) {
    const advice = `the token lacks a scope. It needs ${words.scope}; change ${words.tokenSetting}.`;
    return fail('forbidden', 'source_token_scope', advice);
  }
  if (status === 403) {
    const advice = `the token has no permission to read this. ${words.access}`;
    return fail('forbidden', 'source_access_denied', noToken ?? advice);
  }
  if (status === 404)
    return fail('not_found', 'source_not_found', 'not found, or not visible to this token.');
  if (status === 429) {
    const retryAt = quotaResetAt(headers, now);
    const advice = `too many requests. ${limitAdvice(retryAt)}`;
    return fail('rate_limited', 'source_rate_limited', advice, { retryAt });
  }
  if (status >= 500) {
    const retryAt = retryAfter(headers, now) ?? undefined;
    return fail('temporary', 'source_unavailable', 'it is temporarily unavailable.', { retryAt });
  }
  if (status === 407)
    return fail('forbidden', 'source_proxy_refused', `no request came through.${proxyAdvice(status)}`);
  const advice = `the request was refused. Check the project and branch of the repository, then ${words.addressSetting}.`;
  return fail('invalid', 'source_request_refused', advice);
}

/** Thrown instead of sending a request while GitLab refuses requests. */
export function quotaExhausted(baseUrl: string, retryAt: Date): RepotideError {
  const message = `The rate limit of GitLab at ${baseUrl} is used up. ${limitAdvice(retryAt)}`;
  return new RepotideError('rate_limited', 'source_rate_limited', message, { retryAt });
}

/** The last failure of a run that has used up its retries. */
export function retriesExhausted(failure: RepotideError, retries: number): RepotideError {
  const message =
    `${failure.message} This run has already repeated ${retries} requests and stops to avoid more load. ` +
    `Check GitLab's health, and any proxy in front of it.`;
  const { kind, code, retryAt, details } = failure;
  return new RepotideError(kind, code, message, { cause: failure, details, retryAt });
}

/** Translates a failure without a response: connection, time limit, certificate. */
export function failureOfConnection(target: RequestTarget, thrown: unknown): RepotideError {
  if (thrown instanceof RepotideError) return thrown;
  const reason = reasonOfNoAnswer(thrown);
  const { name, addressSetting } = target.words ?? GITLAB_WORDS;
  const options = { cause: thrown, details: { reason } };
  if (reason === null || reason.startsWith('UND_ERR_INVALID')) return toRepotideError(thrown);
  // The server's alert about the client's certificate is no complaint about its own.
  const advice = tlsAdvice(reason, 'GITLAB_TLS_DIR', target.baseUrl.startsWith('https:'));
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason) && !/ALERT/.test(reason)) {
    const message =
      `The certificate of ${target.baseUrl} is not trusted (${reason}). ` +
      `Set NODE_EXTRA_CA_CERTS to the certificate file of the authority that signed it, or correct ${addressSetting}.`;
    return new RepotideError('invalid', 'source_certificate_invalid', message, options);
  }
  const message = `${name} at ${target.baseUrl} sent no complete response (${reason}). Check ${addressSetting} and the network.${proxyAdvice(reason)}${advice}`;
  return new RepotideError('temporary', 'source_unavailable', message, options);
}

/** For a response with status 200 that does not match GitLab's API. */
export function invalidResponse(target: RequestTarget, found: string): RepotideError {
  const message =
    `The response of ${target.baseUrl} does not match GitLab's API: ${found}. ` +
    `Check that GITLAB_URL is the address of GitLab and that no login page or proxy changes its responses.`;
  return new RepotideError('internal', 'source_answer_invalid', message);
}

/** @param location is shown by its origin only: its path and query may contain a signed secret. */
export function redirectRefused(target: RequestTarget, location: URL): RepotideError {
  const { name, addressSetting } = target.words ?? GITLAB_WORDS;
  const message =
    `${name} at ${target.baseUrl} redirects to ${location.origin}, but a token is never sent to another address than the ` +
    `configured one. If the host or the repository has moved, change ${addressSetting}.`;
  return new RepotideError('invalid', 'source_redirect_refused', message);
}

function limitAdvice(retryAt: Date): string {
  return (
    `A request after ${retryAt.toISOString()} may succeed. If this happens often, ` +
    `lower GITLAB_REQUESTS_PER_MINUTE, or raise the limit in GitLab.`
  );
}

function detailsOf({ status, headers }: FailedResponse): Record<string, unknown> {
  const requestId = headers['x-request-id'];
  const isPlain = typeof requestId === 'string' && /^[\w-]{1,64}$/.test(requestId);
  return isPlain ? { status, request_id: requestId } : { status };
}

/** GitLab marks a token without the right scope by this `error`. */
export function isInsufficientScope(bodyText: string): boolean {
  const body = parseJson(bodyText);
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'insufficient_scope';
}
