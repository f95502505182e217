import { BadRequestException } from '@nestjs/common';
import { type z } from 'zod';

/** An invalid field of a request. */
export interface FieldError {
  field: string;
  message: string;
  /** The value; absent if it is missing, long or possibly secret. */
  found?: unknown;
}

/** A request with invalid fields. Lists all of them, so that the caller can correct them at once. */
export class InvalidRequest extends BadRequestException {
  constructor(readonly errors: FieldError[]) {
    super(errors.map((error) => error.message).join(' '));
  }
}

type Issue = z.core.$ZodIssue;

/** Lists each invalid field once, with its first error. */
export function invalidFields(issues: readonly Issue[]): InvalidRequest {
  const errors = new Map<string, FieldError>();
  for (const error of issues.flatMap(errorsOf)) {
    if (!errors.has(error.field)) errors.set(error.field, error);
  }
  return new InvalidRequest([...errors.values()]);
}

function errorsOf(issue: Issue): FieldError[] {
  const names = issue.path.filter((part) => typeof part !== 'number').map(String);
  if (issue.code === 'unrecognized_keys') {
    // The value is not shown, because an unknown field may contain a token.
    return issue.keys.map((key) => {
      const field = [...names, key].join('.');
      return { field, message: `${field} is not a field of this request.` };
    });
  }
  const field = names.join('.') || 'body';
  const subject = typeof issue.path.at(-1) === 'number' ? `Each value of ${field}` : field;
  return [{ field, message: `${subject} ${issue.message}.`, ...foundAt(field, issue.input) }];
}

const LONGEST_SHOWN = 200;
/** Fields whose values are never shown in an answer, because they may contain tokens. */
const SECRET_FIELD = /(^|[._])(token|secret|oauth|credential)(_id)?($|\.)/;

function foundAt(field: string, value: unknown): { found?: unknown } {
  if (SECRET_FIELD.test(field)) return {};
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return { found: value };
  // A URL with user info may contain a password.
  if (typeof value !== 'string' || value.length > LONGEST_SHOWN || value.includes('@')) return {};
  return { found: value };
}
