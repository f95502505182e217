import { applyDecorators, HttpCode, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { type Response } from 'express';
import { tap } from 'rxjs';
import { type z } from 'zod';
import { ApiProblem } from './api-problem.js';
import { ProblemDto } from './problem.schema.js';
import { REVISION_HEADER, tagRevision } from './revision.js';

/** A problem with additional members. */
interface ProblemDescription {
  description: string;
  model: z.ZodObject;
}

export interface RouteDescription {
  summary: string;
  description?: string;
  /** The success status; default 200, or 201 with `createsUnder`. */
  status?: number;
  /** The schema of the answer; absent: an empty answer. */
  answers?: z.ZodObject;
  answerDescription?: string;
  /** Sends the `revision` of the answer as its `ETag`. */
  isTagged?: boolean;
  /** A path. Sends `Location` with this path and the `id` of the answer. */
  createsUnder?: string;
  /** Further response headers by name. */
  headers?: Readonly<Record<string, string>>;
  /** Error statuses other than 401 and 403, with their codes. */
  problems?: Readonly<Record<number, string | ProblemDescription>>;
}

/** Problems of every route that works on the database. */
const COMMON_PROBLEMS: Readonly<Record<number, string>> = {
  500: '`internal_error`: the log holds the cause under the request id.',
  503: 'The database does not answer now.',
};

/** Documents a route that works on the database, and fixes its success status. */
export function ApiRoute(route: RouteDescription): MethodDecorator {
  const status = route.status ?? (route.createsUnder === undefined ? 200 : 201);
  const headers = {
    ...(route.isTagged && REVISION_HEADER),
    ...(route.createsUnder !== undefined && { Location: 'Address of the new row.' }),
    ...route.headers,
  };
  const problems = Object.entries({ ...COMMON_PROBLEMS, ...route.problems });
  return applyDecorators(
    HttpCode(status),
    UseInterceptors(rowHeaders(route)),
    ApiOperation({ summary: route.summary, description: route.description }),
    ApiResponse({
      status,
      description: route.answerDescription ?? (route.answers ? 'Done.' : 'Done; there is no body.'),
      standardSchema: route.answers,
      ...(Object.keys(headers).length > 0 && { headers: describeHeaders(headers) }),
    }),
    ...problems.map(([code, problem]) => {
      const { description, model } =
        typeof problem === 'string' ? { description: problem, model: ProblemDto } : problem;
      return ApiProblem(Number(code), description, model);
    }),
  );
}

function rowHeaders({ isTagged, createsUnder }: RouteDescription): NestInterceptor {
  return {
    intercept: (context, next) =>
      next.handle().pipe(
        tap((row: { id: string; revision: number }) => {
          const response = context.switchToHttp().getResponse<Response>();
          if (isTagged) tagRevision(response, row);
          if (createsUnder !== undefined) response.location(`${createsUnder}/${row.id}`);
        }),
      ),
  };
}

function describeHeaders(headers: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );
}
