import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';
import { type Caller, type Logger, type VisibleRepositories } from '@core/domain';
import { clientAddress } from './client-address.js';
import { type Tracing } from '@platform/observability';

/** Data that the middleware and the guard collect about a request. */
export interface RequestContext {
  requestId: string;
  begunAt: Date;
  /** Null until the guard has identified the caller. */
  caller: Caller | null;
  /** The repositories of the caller's scope; none until the guard has looked them up. */
  visible: VisibleRepositories;
  /** Whether its result is recorded in the audit log anyway. */
  isAudited: boolean;
}

// A map, so that Express's request type needs no additional field.
const contexts = new WeakMap<Request, RequestContext>();

export function contextOf(request: Request): RequestContext {
  let context = contexts.get(request);
  if (!context) {
    const requestId = acceptedId(request.get('x-request-id')) ?? randomUUID();
    context = { requestId, begunAt: new Date(), caller: null, visible: [], isAudited: false };
    contexts.set(request, context);
  }
  return context;
}

/** A parameter of a handler that is read from the request. */
export const fromRequest = <Value>(read: (request: Request, response: Response) => Value) =>
  createParamDecorator((_data: unknown, context: ExecutionContext): Value => {
    const http = context.switchToHttp();
    return read(http.getRequest<Request>(), http.getResponse<Response>());
  });

/** The caller's own request id, which connects its log with ours; null for an id that could forge a log line. */
function acceptedId(value: string | undefined): string | null {
  return value !== undefined && /^[\w.:-]{1,128}$/.test(value) ? value : null;
}

/** Sends the request id in each response, and logs each request when it ends, without body, headers and query string. */
export function requestLog(logger: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    const { requestId } = contextOf(request);
    response.setHeader('X-Request-Id', requestId);
    // Bound to the request's async context, so that the log line contains its trace id.
    const log = AsyncResource.bind(() => {
      const fields = {
        request_id: requestId,
        method: request.method,
        path: pathOf(request),
        status: response.statusCode,
        is_aborted: !response.writableFinished,
        duration_ms: Math.round(performance.now() - startedAt),
        token_name: contextOf(request).caller?.name ?? null,
        client_address: clientAddress(request),
      };
      // Successful probes are not logged: they come every few seconds.
      if (fields.path.startsWith('/health/') && response.statusCode < 400) {
        logger.debug(fields, 'Request answered');
      } else logger.info(fields, 'Request answered');
    });
    response.once('close', log);
    next();
  };
}

/** The path without the query string, which may contain search texts. */
export function pathOf(request: Request): string {
  return request.originalUrl.split('?', 1)[0] ?? '/';
}

/** The pattern of the matching route. */
export function routeOf(request: Request): string | undefined {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : undefined;
}

/** Only these are traced; probes, scrapes and the dashboard's files are not of interest. */
const TRACED = /^\/(api|webhooks)\//;

/** Creates one span for each request, in the caller's trace if there is one. Records the route's pattern, not the path. */
export function requestTrace(tracing: Tracing) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!TRACED.test(pathOf(request))) return next();
    tracing.request(request.headers, (end) => {
      response.once('close', () => {
        end(request.method, routeOf(request), response.statusCode);
      });
      next();
    });
  };
}
