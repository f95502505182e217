import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { ApiProblem } from './api-problem.js';
import { ProblemDto } from './problem.dto.js';

/** A problem with members of its own. */
interface ProblemDescription {
  description: string;
  model: Type<ProblemDto>;
}

export interface RouteDescription {
  summary: string;
  description?: string;
  /** The success status; 200 unless given. */
  status?: number;
  /** What is answered; absent for an empty answer. */
  answers?: z.ZodObject | Type<unknown>;
  answerDescription?: string;
  /** Response headers by name. */
  headers?: Readonly<Record<string, string>>;
  /** Refused statuses beyond 401 and 403, with the codes that they carry. */
  problems?: Readonly<Record<number, string | ProblemDescription>>;
}

/** What any route that works on the database may answer. */
const COMMON_PROBLEMS: Readonly<Record<number, string>> = {
  500: '`internal_error`: the log holds the cause under the request id.',
  503: 'The database does not answer now.',
};

/** Documents a route that works on the database, and fixes its success status. */
export function ApiRoute(route: RouteDescription): MethodDecorator {
  const status = route.status ?? 200;
  const problems = Object.entries({ ...COMMON_PROBLEMS, ...route.problems });
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary: route.summary, description: route.description }),
    ApiResponse({
      status,
      description: route.answerDescription ?? (route.answers ? 'Done.' : 'Done; there is no body.'),
      ...(route.answers instanceof z.ZodType ? { standardSchema: route.answers } : { type: route.answers }),
      ...(route.headers && { headers: describeHeaders(route.headers) }),
    }),
    ...problems.map(([code, problem]) => {
      const { description, model } =
        typeof problem === 'string' ? { description: problem, model: ProblemDto } : problem;
      return ApiProblem(Number(code), description, model);
    }),
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
