import { Injectable, ValidationPipe, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { type z } from 'zod';
import { InvalidRequest, invalidFields } from './invalid-request.js';

/** Checks the argument of a route against the schema of its decorator, as in `@Body({ schema })`. */
@Injectable()
export class SchemaPipe implements PipeTransform {
  // Until the last class with decorators is gone.
  private readonly byClass = new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
    validationError: { target: false, value: true },
    exceptionFactory: (errors) => InvalidRequest.fromValidation(errors),
  });

  /** @throws InvalidRequest naming every refused field. */
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const schema = metadata.schema as z.ZodType | undefined;
    if (!schema) return this.byClass.transform(value, metadata);
    const result = schema.safeParse(value ?? {}, { reportInput: true });
    if (result.success) return result.data;
    throw invalidFields(result.error.issues);
  }
}
