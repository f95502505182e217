import { type NextFunction, type Request, type Response } from 'express';
import { type Tracing } from '@platform/observability';
import { pathOf } from './request-context.js';

/** Only these are traced; probes, scrapes and the dashboard's files are not of interest. */
const TRACED = /^\/(api|webhooks)\//;

/** Creates one span for each request, in the caller's trace if there is one. Records the route's pattern, not the path. */
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
