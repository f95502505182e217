import { type NestExpressApplication } from '@nestjs/platform-express';
import { type NextFunction, type Request, type Response } from 'express';
import { HttpProblem } from '../http/problem.js';
import { checkHeaders } from './webhook-proof.js';

export const WEBHOOK_PATH = '/webhooks/gitlab';

/** GitLab's own limit for an event: 25 MB. */
const LARGEST_EVENT_BYTES = 26_214_400;

/**
 * Reads the raw body of an event, up to a larger size than other routes allow, after the headers have passed
 * `checkHeaders`. Otherwise answers 404 `webhooks_disabled`, or 401, without reading it. Call this before installing the
 * parsers of other bodies.
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
    'Webhooks are off because there is no secret to authenticate GitLab. Set GITLAB_WEBHOOK_SECRET to enable them.',
  );
}
