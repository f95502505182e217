import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { type z } from 'zod';
import { invalidFields } from './invalid-request.js';

/** Checks the argument of a route against the schema of its decorator, as in `@Body({ schema })`. */
@Injectable()
export class SchemaPipe implements PipeTransform {
  /** @throws InvalidRequest that lists every invalid field. */
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const schema = metadata.schema as z.ZodType | undefined;
    if (!schema) return value;
    const result = schema.safeParse(value ?? {}, { reportInput: true });
    if (result.success) return result.data;
    throw invalidFields(result.error.issues);
  }
}
