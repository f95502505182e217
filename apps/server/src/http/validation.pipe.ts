import { ValidationPipe } from '@nestjs/common';
import { InvalidRequest } from './invalid-request.js';

/** Turns input into DTOs; unknown fields are refused, since a misspelt one would be silently without effect. */
export function validationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
    validationError: { target: false, value: true },
    exceptionFactory: (errors) => InvalidRequest.fromValidation(errors),
  });
}
