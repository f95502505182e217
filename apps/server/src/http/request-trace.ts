import { type NextFunction, type Request, type Response } from 'express';
import { type Tracing } from '@platform/observability';
import { pathOf } from './request-context.js';

/** Probes, scrapes and the page's own files tell nothing. */
const TRACED = /^\/(api|webhooks)\//;

/** Shows what a request causes as one span, within the trace that its caller names. Only the route's pattern is told. */
export function requestTrace(tracing: Tracing) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!TRACED.test(pathOf(request))) return next();
    tracing.request(request.headers, (end) => {
      response.once('close', () => {
        const { path } = (request.route ?? {}) as { path?: unknown };
        end(request.method, typeof path === 'string' ? path : undefined, response.statusCode);
      });
      next();
    });
  };
}
