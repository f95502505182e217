import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { PROBLEM_MEDIA_TYPE } from './problem.js';
import { ProblemDto } from './problem.dto.js';

export const INVALID_FORM = 'The form of the request is wrong; `errors` names each field.';

/** What a route answers that asks GitLab before it stores anything. */
export const SOURCE_PROBLEMS = {
  429: 'GitLab limits the rate; `Retry-After` says when to come back.',
  502: 'GitLab refused the credential: `source_token_rejected`, `source_token_scope`.',
  503: 'GitLab or the database does not answer now.',
};

/** Documents a problem answer of a route. */
export function ApiProblem(
  status: number,
  description: string,
  model: Type<ProblemDto> = ProblemDto,
): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiExtraModels(model),
    ApiResponse({
      status,
      description,
      content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: getSchemaPath(model) } } },
    }),
  );
}
