import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type NextFunction, type Request, type Response } from 'express';
import { type Caller, type Logger } from '@core/domain';

/** What the pipeline learns about a request on its way in. */
export interface RequestContext {
  requestId: string;
  /** Set by the guard once it is known. */
  caller: Caller | null;
}

// Held beside the request, so that no field of Express's type is invented.
const contexts = new WeakMap<Request, RequestContext>();

export function contextOf(request: Request): RequestContext {
  let context = contexts.get(request);
  if (!context) {
    context = { requestId: acceptedId(request.get('x-request-id')) ?? randomUUID(), caller: null };
    contexts.set(request, context);
  }
  return context;
}

/** A caller's own id joins its log and ours; anything that could forge a log line is replaced. */
function acceptedId(value: string | undefined): string | null {
  return value !== undefined && /^[\w.:-]{1,128}$/.test(value) ? value : null;
}

/** Answers every request with its id and logs it once it is over. Bodies, headers and query strings stay out. */
export function requestLog(logger: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    const { requestId } = contextOf(request);
    response.setHeader('X-Request-Id', requestId);
    // In the request's own context, whose trace the line then names.
    const log = AsyncResource.bind(() => {
      const fields = {
        request_id: requestId,
        method: request.method,
        path: pathOf(request),
        status: response.statusCode,
        is_aborted: !response.writableFinished,
        duration_ms: Math.round(performance.now() - startedAt),
        token_name: contextOf(request).caller?.name ?? null,
      };
      // Probes come every few seconds and say nothing while they succeed.
      if (fields.path.startsWith('/health/') && response.statusCode < 400) {
        logger.debug(fields, 'Request answered');
      } else logger.info(fields, 'Request answered');
    });
    response.once('close', log);
    next();
  };
}

/** The path without its query, which may hold what people search for. */
export function pathOf(request: Request): string {
  return request.originalUrl.split('?', 1)[0] ?? '/';
}
