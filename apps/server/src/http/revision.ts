import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { HttpProblem } from './http-problem.js';

/** The revision of an `If-Match` header; undefined when there is none, or when it accepts any revision. */
export const ExpectedRevision = createParamDecorator(
  (_data: unknown, context: ExecutionContext): number | undefined => {
    const header = context.switchToHttp().getRequest<Request>().get('if-match');
    return header === undefined ? undefined : revisionOf(header);
  },
);

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

/** The entity tag of a row: its revision. */
export function etagOf(row: { revision: number }): string {
  return `"${row.revision}"`;
}
