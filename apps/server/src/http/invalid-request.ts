import { BadRequestException } from '@nestjs/common';
import { type z } from 'zod';

/** A value that a request gave and Repotide refused. */
export interface FieldError {
  field: string;
  message: string;
  /** What was given; absent when it is missing, large or may be a secret. */
  found?: unknown;
}

/** The form of a request is wrong: every refused field, so that one round trip is enough to correct all. */
export class InvalidRequest extends BadRequestException {
  constructor(readonly errors: FieldError[]) {
    super(errors.map((error) => error.message).join(' '));
  }
}

type Issue = z.core.$ZodIssue;

/** Every refused field once, with the first of its mistakes. */
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
    // The value of an unknown field may be anything, a token too.
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
/** Fields whose value is never repeated in an answer: people paste tokens into them. */
const SECRET_FIELD = /(^|[._])(token|secret|oauth|credential)(_id)?($|\.)/;

function foundAt(field: string, value: unknown): { found?: unknown } {
  if (SECRET_FIELD.test(field)) return {};
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return { found: value };
  // A URL with a user part carries a password.
  if (typeof value !== 'string' || value.length > LONGEST_SHOWN || value.includes('@')) return {};
  return { found: value };
}
