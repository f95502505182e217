import { type NestExpressApplication } from '@nestjs/platform-express';
import { type NextFunction, type Request, type Response } from 'express';
import { HttpProblem } from '../http/http-problem.js';
import { checkHeaders } from './webhook-proof.js';

export const WEBHOOK_PATH = '/webhooks/gitlab';

/** GitLab's own limit of an event: 25 MB. */
const LARGEST_EVENT_BYTES = 26_214_400;

/**
 * Reads the body of an event as it was sent, up to a size that no other route takes, once the headers show that the
 * sender may know the secret. Otherwise it answers 404 `webhooks_disabled`, or 401 as `checkHeaders` says, unread. Call
 * before the parsers of other bodies are installed.
 */
export function readWebhookBodies(express: NestExpressApplication, secret: string | undefined): void {
  const events = new WeakSet<object>();
  express.use(WEBHOOK_PATH, (request: Request, _response: Response, next: NextFunction) => {
    if (request.method === 'POST') {
      checkHeaders(request.headers, secretOrDisabled(secret), new Date());
      events.add(request);
    }
    next();
  });
  express.useBodyParser('raw', { type: (request) => events.has(request), limit: LARGEST_EVENT_BYTES });
}

export function secretOrDisabled(secret: string | undefined): string {
  if (secret !== undefined) return secret;
  throw new HttpProblem(
    404,
    'webhooks_disabled',
    'Webhooks are off, as there is no secret to know GitLab by. Set GITLAB_WEBHOOK_SECRET to take them.',
  );
}
