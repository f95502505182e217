import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { ApiProblem } from './api-problem.js';
import { HttpProblem } from './http-problem.js';

/** Documents the `ETag` of an answer, for {@link tagRevision}. */
export const REVISION_HEADER = { ETag: 'The revision, for `If-Match`.' };

/** The revision of an `If-Match` header; undefined when there is none, or when it accepts any revision. */
export const ExpectedRevision = createParamDecorator(
  (_data: unknown, context: ExecutionContext): number | undefined => {
    const header = context.switchToHttp().getRequest<Request>().get('if-match');
    return header === undefined ? undefined : revisionOf(header);
  },
);

/** Documents {@link ExpectedRevision} and the problem for an outdated revision. */
export function ApiIfMatch(
  header = 'Change it only if it still has this `ETag`.',
  refusal = '`revision_mismatch`: it was changed since.',
): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Match',
      description: header,
      required: false,
      schema: { type: 'string', example: '"3"' },
    }),
    ApiProblem(412, refusal),
  );
}

function revisionOf(ifMatch: string): number | undefined {
  if (ifMatch.trim() === '*') return undefined;
  const [, digits] = /^\s*"(\d{1,15})"\s*$/.exec(ifMatch) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new HttpProblem(
    400,
    'if_match_invalid',
    'If-Match must be the ETag of an earlier answer: the revision in double quotes, such as "3".',
  );
}

/** Sends the revision of the row as `ETag`, for a later `If-Match`. */
export function tagRevision(response: Response, { revision }: { revision: number }): void {
  response.setHeader('ETag', `"${revision}"`);
}
