import { type Request } from 'express';
import { HttpProblem } from '../http/problem.js';
import { readBytes } from '../http/read-body.js';
import { checkDelivery, checkHeaders, isSigned } from './webhook-proof.js';

/** GitLab's own limit for an event: 25 MB. */
const LARGEST_EVENT_BYTES = 26_214_400;
/** Bytes of all signed events together that are in memory before their signature could be checked. */
const MOST_UNPROVEN_BYTES = 2 * LARGEST_EVENT_BYTES;

/** Reads the events of senders that know the secret, and bounds the memory that all others can take. */
export class WebhookReader {
  private unprovenBytes = 0;

  /**
   * A wrong token is refused before the body is read. A signature covers the body, so the body is read first.
   * @throws HttpProblem as {@link checkDelivery}; 404 `webhooks_disabled`; 413, 415 and 400 for the body; 503
   *   `webhooks_busy` while too many unproven bytes are in memory.
   */
  async read(request: Request, secret: string | undefined): Promise<Uint8Array> {
    if (secret === undefined) throw disabled();
    checkHeaders(request.headers, secret, new Date());
    if (!isSigned(request.headers)) return readBytes(request, LARGEST_EVENT_BYTES);
    let claimed = 0;
    try {
      const body = await readBytes(request, LARGEST_EVENT_BYTES, (bytes) => {
        if (this.unprovenBytes + bytes > MOST_UNPROVEN_BYTES) throw busy();
        this.unprovenBytes += bytes;
        claimed += bytes;
      });
      checkDelivery(request.headers, body, secret, new Date());
      return body;
    } finally {
      this.unprovenBytes -= claimed;
    }
  }
}

function busy(): HttpProblem {
  const detail =
    'Too many signed events are being received at once. The next push or schedule syncs what this one announced.';
  return new HttpProblem(503, 'webhooks_busy', detail, { 'Retry-After': '10' });
}

function disabled(): HttpProblem {
  const detail =
    'Webhooks are off because there is no secret to authenticate GitLab. Set GITLAB_WEBHOOK_SECRET to enable them.';
  return new HttpProblem(404, 'webhooks_disabled', detail);
}
