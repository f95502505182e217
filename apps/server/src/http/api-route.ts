import { applyDecorators, Controller, HttpCode, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiOperation, ApiResponse, ApiTags, type ApiResponseSchemaHost } from '@nestjs/swagger';
import { type Response } from 'express';
import { map } from 'rxjs';
import { z } from 'zod';
import { count, instant, list, shown, uuid } from './fields.js';
import { model, present, type RowOf } from './model.js';
import { referTo } from './openapi.js';
import { PROBLEM_MEDIA_TYPE } from './problem.js';

const FieldErrorDto = model('FieldErrorDto', {
  field: shown('Name of the refused field or parameter.', 'cron_expression'),
  message: shown('What was expected.', 'cron_expression must be text of 1 to 200 characters without NUL.'),
  found: z
    .unknown()
    .meta({
      description: 'The given value; left out when it is missing, large or may be a secret.',
      oneOf: [{ type: 'string', nullable: true }, { type: 'number' }, { type: 'boolean' }],
      example: '61 * * * *',
    })
    .optional(),
});

/** RFC 9457 problem details. */
export const ProblemDto = model('ProblemDto', {
  type: shown('Kind of the problem; ends in `code`.', 'urn:repotide:problem:repository_not_found', {
    format: 'uri',
  }),
  title: shown('The meaning of the HTTP status.', 'Not Found'),
  status: count('The HTTP status.', 404, { minimum: undefined }),
  detail: shown(
    'What was found, what was expected and what to change.',
    'There is no repository 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11.',
  ),
  code: shown('Stable name for programs.', 'repository_not_found'),
  instance: shown('Path of the request.', '/api/v1/repositories/0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11', {
    format: 'uri-reference',
  }),
  request_id: shown(
    'Also in the `X-Request-Id` header and on the log lines of this request.',
    '5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31',
  ),
  errors: list(FieldErrorDto, 'Each refused field.').optional(),
});

/** The problem for a busy repository. It names the holder. */
export const RunInProgressProblemDto = model('RunInProgressProblemDto', {
  ...ProblemDto.shape,
  execution_id: uuid('The execution that holds the repository.'),
  pod_name: shown('The pod that runs it; null while it is queued.', 'repotide-0').nullable(),
  started_at: instant('When it started; null while it is queued.').nullable(),
});

/** Problems of a route that calls GitLab before it stores anything. */
export const SOURCE_PROBLEMS = {
  429: 'GitLab limits the rate; `Retry-After` says when to try again.',
  502: 'GitLab refused the credential: `source_token_rejected`, `source_token_scope`.',
  503: 'GitLab or the database does not answer now.',
};

/** A controller of the routes below `/api/v1/<path>`. @param tag of the API document. */
export function Resource(path: string, tag = path): ClassDecorator {
  return applyDecorators(ApiTags(tag), Controller(`api/v1/${path}`));
}

const INVALID_FORM: Readonly<Record<number, string>> = {
  400: 'The form of the request is wrong; `errors` names each field.',
};

/** Documents a problem that a route may return. */
export function ApiProblem(
  status: number,
  description: string,
  model: z.ZodObject = ProblemDto,
): MethodDecorator & ClassDecorator {
  const content = { [PROBLEM_MEDIA_TYPE]: { schema: referTo(model) } };
  return ApiResponse({ status, description, content });
}

/** A problem with additional members. */
interface ProblemDescription {
  description: string;
  model: z.ZodObject;
}

export interface RouteDescription<Answer extends z.ZodObject | undefined, Other extends z.ZodObject> {
  summary: string;
  description?: string;
  /** The success status; default 200, or 201 with `createsUnder`. */
  status?: number;
  /** The schema of the answer, which also converts what the handler returns; absent: an empty answer. */
  answers?: Answer;
  answerDescription?: string;
  /** The media types of an answer that the handler sends itself, such as a stream. */
  content?: ApiResponseSchemaHost['content'];
  /** An answer with another status, which the handler sets. */
  otherAnswer?: { status: number; description: string; standardSchema: Other };
  /** Sends the `revision` of the answer as its `ETag`. */
  isTagged?: boolean;
  /** A path. Sends `Location` with this path and the `id` of the answer. */
  createsUnder?: string;
  /** Further response headers by name. */
  headers?: Readonly<Record<string, ReturnType<typeof header>>>;
  /** Error statuses with their codes, beside those of every route. */
  problems?: Readonly<Record<number, string | ProblemDescription>>;
}

/** A handler that returns rows of the answer's schema; see {@link present}. */
type HandlerDecorator<Answer> = <Args extends unknown[], Row extends Answer>(
  target: object,
  name: string | symbol,
  handler: TypedPropertyDescriptor<(...args: Args) => Promise<Row>>,
) => void;

/** Documents a route that works on the database, fixes its success status, and presents the row that it returns. */
export function ApiRoute<
  Answer extends z.ZodObject | undefined = undefined,
  Other extends z.ZodObject = never,
>(route: RouteDescription<Answer, Other>): HandlerDecorator<RowOf<Answer> | RowOf<Other>> {
  const { otherAnswer: other } = route;
  const status = route.status ?? (route.createsUnder === undefined ? 200 : 201);
  const headers = {
    ...(route.isTagged && { ETag: header('The revision, for `If-Match`.') }),
    ...(route.createsUnder !== undefined && { Location: header('Address of the new row.') }),
    ...route.headers,
  };
  return (target, name, handler) => {
    const problems: Record<number, string | ProblemDescription> = {
      ...(isChecked(target, name) ? INVALID_FORM : {}),
      500: '`internal_error`: the log holds the cause under the request id.',
      503: 'The database does not answer now.',
      ...route.problems,
    };
    const decorate = applyDecorators(
      HttpCode(status),
      UseInterceptors(presenter(route)),
      ApiOperation({ summary: route.summary, description: route.description }),
      ApiResponse({
        status,
        description: route.answerDescription ?? (route.answers ? 'Done.' : 'Done; there is no body.'),
        ...(route.content ? { content: route.content } : { standardSchema: route.answers }),
        ...(Object.keys(headers).length > 0 && { headers }),
      }),
      ...(other ? [ApiResponse(other)] : []),
      ...Object.entries(problems).map(([code, problem]) =>
        typeof problem === 'string'
          ? ApiProblem(Number(code), problem)
          : ApiProblem(Number(code), problem.description, problem.model),
      ),
    );
    decorate(target, name, handler);
  };
}

/** Whether a parameter of the handler is checked, so that it may answer 400. A path may be wrongly encoded. */
function isChecked(target: object, name: string | symbol): boolean {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, name) ?? {}) as Readonly<
    Record<string, { schema?: unknown; pipes?: readonly unknown[] }>
  >;
  return Object.entries(parameters).some(
    ([key, { schema, pipes }]) => key.startsWith(`${RouteParamtypes.PARAM}:`) || schema || pipes?.length,
  );
}

function presenter({
  answers,
  otherAnswer,
  isTagged,
  createsUnder,
}: RouteDescription<z.ZodObject | undefined, z.ZodObject>): NestInterceptor {
  return {
    intercept: (context, next) =>
      next.handle().pipe(
        map((row: { id: string; revision: number }) => {
          const response = context.switchToHttp().getResponse<Response>();
          if (isTagged) tagRevision(response, row);
          if (createsUnder !== undefined) response.location(`${createsUnder}/${row.id}`);
          const schema = response.statusCode === otherAnswer?.status ? otherAnswer.standardSchema : answers;
          return schema && present<z.ZodType>(schema, row);
        }),
      ),
  };
}

/** Sends the revision of the row as `ETag`, for a later `If-Match`. */
export function tagRevision(response: Response, { revision }: { revision: number }): void {
  response.setHeader('ETag', `"${revision}"`);
}

/** A response header, for the API document. */
export const header = (description: string) => ({ description, schema: { type: 'string' as const } });
