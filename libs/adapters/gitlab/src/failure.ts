import { type IncomingHttpHeaders } from 'node:http';
import { type ErrorKind, RepotideError, type RepotideErrorOptions, toRepotideError } from '@core/domain';
import { quotaReturnsAt, retryAfter } from './rate-limit.js';
import { quoteServer, saysInsufficientScope } from './server-words.js';

/** Whom a failed request was sent to, and as whom. */
export interface Counterpart {
  baseUrl: string;
  token: string | null;
}

export interface FailedAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bodyText: string;
}

const WHICH_TOKEN = 'GITLAB_TOKEN or the credential of the repository';

/** Translates an answer outside 2xx. A 404 gets `source_not_found`: only the caller knows what was looked for. */
export function failureOfAnswer(to: Counterpart, answer: FailedAnswer, now: Date): RepotideError {
  const quote = quoteServer(answer.bodyText, to.token);
  const says = `GitLab at ${to.baseUrl} answered ${answer.status}${quote === null ? '' : ` ("${quote}")`}`;
  const fail = (kind: ErrorKind, code: string, advice: string, options: RepotideErrorOptions = {}) =>
    new RepotideError(kind, code, `${says}: ${advice}`, { ...options, details: detailsOf(answer) });

  switch (answer.status) {
    case 401:
      return fail('unauthorized', 'source_token_rejected', unauthorizedAdvice(to));
    case 403:
      return saysInsufficientScope(answer.bodyText)
        ? fail(
            'forbidden',
            'source_token_scope',
            `the token lacks a scope. It needs read_api; change ${WHICH_TOKEN}.`,
          )
        : fail('forbidden', 'source_access_denied', forbiddenAdvice(to));
    case 404:
      return fail('not_found', 'source_not_found', 'not found, or not visible to this token.');
    case 429: {
      const retryAt = quotaReturnsAt(answer.headers, now);
      const advice = `too many requests. ${adviceOnLimits(retryAt)}`;
      return fail('rate_limited', 'source_rate_limited', advice, { retryAt });
    }
    default:
      return answer.status >= 500
        ? fail('temporary', 'source_unavailable', 'it cannot serve right now.', whenTold(answer.headers, now))
        : fail(
            'invalid',
            'source_request_refused',
            'the request was refused. Check the project and branch of the repository, then GITLAB_URL.',
          );
  }
}

/** In place of a request that GitLab has asked not to send. */
export function quotaExhausted(baseUrl: string, retryAt: Date): RepotideError {
  const message = `GitLab at ${baseUrl} has no requests left for us. ${adviceOnLimits(retryAt)}`;
  return new RepotideError('rate_limited', 'source_rate_limited', message, { retryAt });
}

/** The last failure of a run that has repeated as many requests as it may. */
export function retriesExhausted(failure: RepotideError, retries: number): RepotideError {
  const message =
    `${failure.message} This run has repeated ${retries} requests, and more would only add to the host's load: ` +
    `look at GitLab's health, and at what stands between.`;
  const { retryAt, details } = failure;
  const options = { cause: failure, details, ...(retryAt === undefined ? {} : { retryAt }) };
  return new RepotideError(failure.kind, failure.code, message, options);
}

/** Translates what was thrown in place of an answer: connection, time limit, certificate. */
export function failureOfConnection(to: Counterpart, thrown: unknown): RepotideError {
  if (thrown instanceof RepotideError) return thrown;
  const reason = errorCode(thrown);
  const options = { cause: thrown, details: { reason } };
  if (reason === null || reason.startsWith('UND_ERR_INVALID')) return toRepotideError(thrown);
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason)) {
    const message =
      `The certificate of ${to.baseUrl} is not trusted (${reason}). ` +
      `Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, or correct GITLAB_URL.`;
    return new RepotideError('invalid', 'source_certificate_invalid', message, options);
  }
  const message = `GitLab at ${to.baseUrl} gave no complete answer (${reason}). Check GITLAB_URL and the network.`;
  return new RepotideError('temporary', 'source_unavailable', message, options);
}

/** An answer that came in order but is not what GitLab's API promises. */
export function answerInvalid(to: Counterpart, found: string): RepotideError {
  return new RepotideError(
    'internal',
    'source_answer_invalid',
    `The answer of ${to.baseUrl} is not GitLab's: ${found}. ` +
      `Check that GITLAB_URL names GitLab itself and that no login page or proxy changes its answers.`,
  );
}

/** @param target is shown by its origin only: the rest of a redirect may hold a signed secret. */
export function redirectRefused(to: Counterpart, target: URL): RepotideError {
  return new RepotideError(
    'invalid',
    'source_redirect_refused',
    `GitLab at ${to.baseUrl} redirects to ${target.origin}, and a token is never carried to another origin. ` +
      `If that is the same GitLab, set GITLAB_URL to that address.`,
  );
}

function unauthorizedAdvice(to: Counterpart): string {
  return to.token === null
    ? `no token was sent. Set ${WHICH_TOKEN} to a token with scope read_api.`
    : `the token is wrong, expired or revoked. Renew ${WHICH_TOKEN} (scope read_api).`;
}

function adviceOnLimits(retryAt: Date): string {
  return (
    `Asking again after ${retryAt.toISOString()} may succeed. If that happens often, ` +
    `lower GITLAB_REQUESTS_PER_MINUTE, or raise the limit in GitLab.`
  );
}

function forbiddenAdvice(to: Counterpart): string {
  return to.token === null
    ? `no token was sent. Set ${WHICH_TOKEN} to a token with scope read_api.`
    : `the token may not read this. Its user needs the Reporter role or higher in the project.`;
}

function whenTold(headers: IncomingHttpHeaders, now: Date): RepotideErrorOptions {
  const retryAt = retryAfter(headers, now);
  return retryAt === null ? {} : { retryAt };
}

function detailsOf({ status, headers }: FailedAnswer): Record<string, unknown> {
  const requestId = headers['x-request-id'];
  const isPlain = typeof requestId === 'string' && /^[\w-]{1,64}$/.test(requestId);
  return isPlain ? { status, request_id: requestId } : { status };
}

/** Errors of node: and undici may come from another realm than `Error` here, so only their shape counts. */
function errorCode(thrown: unknown): string | null {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return null;
  return typeof thrown.code === 'string' ? thrown.code : null;
}
