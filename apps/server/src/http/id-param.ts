import { applyDecorators, Param, ParseUUIDPipe } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ApiProblem, INVALID_FORM } from './api-problem.js';
import { InvalidRequest } from './invalid-request.js';

/** A UUID path parameter. Any other value is a 400, without a database query. */
export function IdParam(name = 'id'): ParameterDecorator {
  return Param(
    name,
    new ParseUUIDPipe({
      exceptionFactory: () => new InvalidRequest([{ field: name, message: `${name} must be a UUID.` }]),
    }),
  );
}

/** Documents {@link IdParam} with its 400, and the 404 for a row that does not exist. */
export function ApiId(of: string, name = 'id'): MethodDecorator {
  return applyDecorators(
    ApiParam({ name, description: `Id of the ${of}.`, schema: { type: 'string', format: 'uuid' } }),
    ApiProblem(400, INVALID_FORM),
    ApiProblem(404, `There is no such ${of}, or it was deleted.`),
  );
}
