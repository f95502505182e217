import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ApiProblem } from './api-problem.js';

export interface RouteDescription {
  summary: string;
  description?: string;
  /** The success status; 200 unless given. */
  status?: number;
  /** What is answered; absent for an empty answer. */
  answers?: Type<unknown>;
  answerDescription?: string;
  /** Response headers by name. */
  headers?: Readonly<Record<string, string>>;
  /** Refused statuses beyond 401 and 403, with the codes that they carry. */
  problems?: Readonly<Record<number, string>>;
}

/** Documents a route and fixes its success status. Any route may also fail inside, hence the 500. */
export function ApiRoute(route: RouteDescription): MethodDecorator {
  const status = route.status ?? 200;
  const problems = Object.entries(route.problems ?? {});
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary: route.summary, description: route.description }),
    ApiResponse({
      status,
      description: route.answerDescription ?? (route.answers ? 'Done.' : 'Done; there is no body.'),
      ...(route.answers && { type: route.answers }),
      ...(route.headers && { headers: describeHeaders(route.headers) }),
    }),
    ...problems.map(([code, description]) => ApiProblem(Number(code), description)),
    ApiProblem(500, '`internal_error`: the log holds the cause under the request id.'),
  );
}

function describeHeaders(headers: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );
}
