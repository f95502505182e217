import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { HttpProblem } from '../http/problem.js';

/** Allowed clock difference of a signed delivery, in seconds, as the Standard Webhooks specification advises. */
const TOLERANCE_SECONDS = 300;
/** In that specification a signing secret is this prefix and base64; GitLab's secret token is the text itself. */
const SECRET_PREFIX = 'whsec_';
/** The shortest key that the specification allows. */
const MIN_KEY_BYTES = 24;

/**
 * Refuses a delivery before its body is read, when its headers alone show that the sender lacks the secret.
 * @throws 401 `webhook_unproven`, `webhook_token_rejected`, `webhook_timestamp_stale`.
 */
export function checkHeaders(headers: IncomingHttpHeaders, secret: string, now: Date): void {
  const signature = textOf(headers, 'webhook-signature');
  const token = textOf(headers, 'x-gitlab-token');
  if (signature !== undefined) checkTimestamp(headers, now);
  else if (token === undefined) {
    throw refusal(
      'webhook_unproven',
      'The event has neither X-Gitlab-Token nor webhook-signature. Set the secret token of the webhook in GitLab to the value of GITLAB_WEBHOOK_SECRET.',
    );
  } else if (!isEqual(token, secret)) throw tokenRejected();
}

/**
 * Checks that a delivery comes from a GitLab that knows the secret: by its signature over the raw body, or by the
 * secret token.
 * @throws as {@link checkHeaders}, and 401 `webhook_signature_rejected`.
 */
export function checkDelivery(
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  secret: string,
  now: Date,
): void {
  checkHeaders(headers, secret, now);
  const signatures = textOf(headers, 'webhook-signature');
  if (signatures === undefined) return;
  const id = textOf(headers, 'webhook-id') ?? '';
  const timestamp = textOf(headers, 'webhook-timestamp') ?? '';
  const expected = keysOf(secret).map((key) =>
    createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64'),
  );
  const found = signatures.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  if (found.some((signature) => expected.some((text) => isEqual(signature, text)))) return;
  throw refusal(
    'webhook_signature_rejected',
    'The signature does not match the body and GITLAB_WEBHOOK_SECRET. Set the signing token of the webhook in GitLab to the same value.',
  );
}

/** Whether the proof of a delivery is a signature over its body. */
export function isSigned(headers: IncomingHttpHeaders): boolean {
  return textOf(headers, 'webhook-signature') !== undefined;
}

function checkTimestamp(headers: IncomingHttpHeaders, now: Date): void {
  const timestamp = textOf(headers, 'webhook-timestamp') ?? '';
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN;
  if (Math.abs(now.getTime() / 1000 - seconds) <= TOLERANCE_SECONDS) return;
  throw refusal(
    'webhook_timestamp_stale',
    `webhook-timestamp must be within ${TOLERANCE_SECONDS} seconds of this server's time, ${now.toISOString()}. Check the clocks of both servers.`,
  );
}

/**
 * The secret itself, and the key that it encodes if it is complete base64. A lenient decoder would turn other text into a
 * short or empty key, which anybody could sign with.
 */
function keysOf(secret: string): Buffer[] {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const decoded = Buffer.from(encoded, 'base64');
  const isBase64 = decoded.toString('base64') === encoded && decoded.length >= MIN_KEY_BYTES;
  return isBase64 ? [Buffer.from(secret), decoded] : [Buffer.from(secret)];
}

/** Compares hashes, which have equal lengths, so that the time taken reveals nothing. */
function isEqual(found: string, expected: string): boolean {
  const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digestOf(found), digestOf(expected));
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function tokenRejected(): HttpProblem {
  return refusal(
    'webhook_token_rejected',
    'X-Gitlab-Token is not GITLAB_WEBHOOK_SECRET. Set the secret token of the webhook in GitLab to the same value.',
  );
}

function refusal(code: string, detail: string): HttpProblem {
  return new HttpProblem(401, code, detail);
}
