import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { PROBLEM_MEDIA_TYPE } from './problem.js';
import { ProblemDto } from './problem.dto.js';

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
