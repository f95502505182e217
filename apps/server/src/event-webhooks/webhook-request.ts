import { createHmac } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { proxyAdvice, reasonOfNoAnswer, RepotideError } from '@core/domain';

/** The receiver has this long to answer. It should store the event and do the work afterwards. */
export const ANSWER_SECONDS = 15;

/** A signed event. */
export interface SignedEvent {
  id: string;
  url: string;
  body: string;
  key: Buffer;
}

export type Answer = { status: number } | { status: null; error: string };

/**
 * Sends an event as the Standard Webhooks specification says. Follows no redirect, because its target is not checked.
 * Never throws; nothing of the answer but its status is kept.
 */
export async function sendEvent(
  { id, url, body, key }: SignedEvent,
  dispatcher: Dispatcher,
): Promise<Answer> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'repotide',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf({ id, timestamp, body }, key),
  };
  const signal = AbortSignal.timeout(ANSWER_SECONDS * 1000);
  try {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal });
    // An answer may be endless: its connection is closed instead.
    answer.body.on('error', () => undefined).destroy();
    return { status: answer.statusCode };
  } catch (thrown) {
    return { status: null, error: signal.aborted ? TOO_SLOW : reasonOf(thrown) };
  }
}

const TOO_SLOW = `The receiver did not answer within ${ANSWER_SECONDS} s.`;

/** The value of `webhook-signature`: HMAC-SHA256 over id, timestamp and body. */
function signatureOf(signed: { id: string; timestamp: string; body: string }, key: Buffer): string {
  const { id, timestamp, body } = signed;
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** Without the address, whose path may hold a secret. */
function reasonOf(thrown: unknown): string {
  const refusal = refusalIn(thrown);
  if (refusal !== null) return refusal;
  const reason = reasonOfNoAnswer(thrown);
  return `The receiver could not be reached (${reason ?? 'unknown reason'}).${proxyAdvice(reason)}`;
}

/** The check of the address throws inside the connection. */
function refusalIn(thrown: unknown): string | null {
  if (thrown instanceof RepotideError) return thrown.message;
  return thrown instanceof Error && thrown.cause !== undefined ? refusalIn(thrown.cause) : null;
}
