import { ApiResponse } from '@nestjs/swagger';
import { type z } from 'zod';
import { referTo } from './openapi-schema.js';
import { PROBLEM_MEDIA_TYPE } from './problem.js';
import { ProblemDto } from './problem.schema.js';

export const INVALID_FORM = 'The form of the request is wrong; `errors` names each field.';

/** Problems of a route that calls GitLab before it stores anything. */
export const SOURCE_PROBLEMS = {
  429: 'GitLab limits the rate; `Retry-After` says when to try again.',
  502: 'GitLab refused the credential: `source_token_rejected`, `source_token_scope`.',
  503: 'GitLab or the database does not answer now.',
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
