import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type OpenAPIObject } from '@nestjs/swagger';
import { RepotideError, type Logger } from '@core/domain';
import { HttpProblem, PROBLEM_MEDIA_TYPE, type Problem, problemOf } from './problem.js';
import { contextOf, pathOf } from './request-context.js';

/** Answers every error with RFC 9457 problem details. Logs errors with a status of 500 or more, with their cause. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  /**
   * @param methodsOf the methods that a path supports; empty: the path does not exist.
   * @param audit records a refusal.
   */
  constructor(
    private readonly logger: Logger,
    private readonly methodsOf: (method: string, path: string) => readonly string[],
    private readonly audit: (request: Request, thrown: unknown, problem: Problem) => void,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const cause = thrown instanceof NotFoundException ? this.routeProblem(request) : thrown;
    const problem = {
      ...problemOf(cause),
      instance: pathOf(request),
      request_id: contextOf(request).requestId,
    };
    this.audit(request, cause, problem);
    if (problem.status >= 500) this.logFailure(thrown, problem.status, request);
    if (response.headersSent) {
      // A stream has started, so only a broken connection can show that it is incomplete.
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(headersOf(cause))) response.setHeader(name, value);
    response.status(problem.status).type(PROBLEM_MEDIA_TYPE).send(JSON.stringify(problem));
  }

  private routeProblem(request: Request): HttpProblem {
    const path = pathOf(request);
    const methods = this.methodsOf(request.method, path);
    if (methods.length === 0) {
      return new HttpProblem(404, 'route_not_found', `No route matches ${path}. /docs lists all routes.`);
    }
    const allow = methods.join(', ');
    const detail = `${request.method} is not supported here; use ${allow}.`;
    return new HttpProblem(405, 'method_not_allowed', detail, { Allow: allow });
  }

  private logFailure(thrown: unknown, status: number, request: Request): void {
    const fields = { request_id: contextOf(request).requestId, path: pathOf(request), status, err: thrown };
    if (status === 500) this.logger.error(fields, 'Request failed');
    else this.logger.warn(fields, 'Request could not be served');
  }
}

function headersOf(thrown: unknown): Readonly<Record<string, string>> {
  if (thrown instanceof HttpProblem) return thrown.headers;
  if (thrown instanceof RepotideError && thrown.retryAt) {
    const seconds = Math.ceil((thrown.retryAt.getTime() - Date.now()) / 1000);
    return { 'Retry-After': String(Math.max(1, seconds)) };
  }
  return {};
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Paths of the dashboard and of the API document. The document itself does not list them. */
const DASHBOARD = /^(|\/assets\/[\w.-]+)$/;
const DOCS = /^\/docs(-json)?$/;

/** The methods that a path supports, for the `Allow` header of a 405. Empty for an unknown path. */
export function allowedMethods(
  document: OpenAPIObject,
  { showsDocs }: { showsDocs: boolean },
): (method: string, path: string) => readonly string[] {
  const isPage = (path: string): boolean => DASHBOARD.test(path) || (showsDocs && DOCS.test(path));
  const routes = Object.entries(document.paths).map(([template, item]) => ({
    segments: segmentsOf(template),
    methods: METHODS.filter((method) => item[method] !== undefined).map((method) => method.toUpperCase()),
  }));
  return (method, path) => {
    // A GET that gets here found no page: the answer is a 404, so it must not return any method.
    if (method !== 'GET' && method !== 'HEAD' && isPage(path.replace(/\/$/, ''))) return ['GET'];
    const requested = segmentsOf(path);
    return routes.find((route) => isMatch(route.segments, requested))?.methods ?? [];
  };
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/');
}

function isMatch(template: readonly string[], requested: readonly string[]): boolean {
  return (
    template.length === requested.length &&
    template.every((segment, index) => segment.startsWith('{') || segment === requested[index])
  );
}
