import { BadRequestException, type ValidationError } from '@nestjs/common';

/** A value that a request gave and Repotide refused. */
export interface FieldError {
  field: string;
  message: string;
  /** What was given; absent when it is missing, large or may be a secret. */
  found?: unknown;
}

/** Validation option for a field whose value is not repeated in an answer, since people paste tokens into it. */
export const HIDDEN_VALUE = { context: { hidden: true } };

/** The form of a request is wrong: every refused field, so that one round trip is enough to correct all. */
export class InvalidRequest extends BadRequestException {
  constructor(readonly errors: FieldError[]) {
    super(errors.map((error) => error.message).join(' '));
  }

  static fromValidation(errors: readonly ValidationError[]): InvalidRequest {
    return new InvalidRequest(errors.flatMap((error) => fieldErrorsOf(error, '')));
  }
}

function fieldErrorsOf(error: ValidationError, parent: string): FieldError[] {
  const field = `${parent}${error.property}`;
  const nested = (error.children ?? []).flatMap((child) => fieldErrorsOf(child, `${field}.`));
  const [constraint] = Object.entries(error.constraints ?? {});
  if (!constraint) return nested;
  const [rule, message] = constraint;
  if (rule === 'whitelistValidation') {
    // The value of a field that nobody asked for may be anything, a token too.
    return [{ field, message: `${field} is not a field of this request.` }, ...nested];
  }
  const sentence = `${message.endsWith('.') ? message : `${message}.`}`;
  return [{ field, message: sentence, ...foundIn(error) }, ...nested];
}

const LONGEST_SHOWN = 200;

function foundIn(error: ValidationError): { found?: unknown } {
  const contexts: Record<string, { hidden?: boolean }> = error.contexts ?? {};
  if (Object.values(contexts).some(({ hidden }) => hidden)) return {};
  const value: unknown = error.value;
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return { found: value };
  // A URL with a user part carries a password.
  if (typeof value !== 'string' || value.length > LONGEST_SHOWN || value.includes('@')) return {};
  return { found: value };
}
