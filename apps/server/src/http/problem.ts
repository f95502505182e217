import { STATUS_CODES } from 'node:http';
import { HttpException, BadRequestException } from '@nestjs/common';
import { type z } from 'zod';
import { RepotideError, type ErrorKind } from '@core/domain';

/** An error at the level of HTTP: token, role, method, media type or precondition. */
export class HttpProblem extends HttpException {
  constructor(
    status: number,
    readonly code: string,
    detail: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail, status);
  }
}

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

/** A value that a rule refuses which the API document cannot state, such as an expiry in the past: a 422. */
export function refusedValue(field: string, message: string, found?: string): RepotideError {
  return new RepotideError('invalid', 'value_refused', message, { details: { field, found } });
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

/**
 * Adds the field to an error, so that the answer lists it under `errors`.
 * @param fieldByCode the field for each error code; errors with other codes stay unchanged.
 */
export function naming(thrown: unknown, fieldByCode: Readonly<Record<string, string>>): unknown {
  if (!(thrown instanceof RepotideError)) return thrown;
  const field = fieldByCode[thrown.code];
  if (field === undefined) return thrown;
  // Not a 404: an unknown project or branch is an invalid value in the body, while the URL is correct.
  return new RepotideError('invalid', thrown.code, thrown.message, {
    cause: thrown,
    details: { ...thrown.details, field },
  });
}

/** For {@link naming}: the errors of a credential. */
export const CREDENTIAL_FIELDS = {
  credential_unavailable: 'credential_id',
  credential_not_found: 'credential_id',
  credential_foreign_host: 'credential_id',
};

/** For {@link naming}: the errors of a code host, with the field of its address. */
export const sourceFields = (address = 'base_url') => ({
  ...CREDENTIAL_FIELDS,
  source_url_invalid: address,
  url_not_allowed: address,
});

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** RFC 9457 problem details. `code` is stable, so programs can depend on it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: FieldError[];
  [extension: string]: unknown;
}

/**
 * The status for the client. `unauthorized` and `forbidden` are a 502: a system behind Repotide refused Repotide's
 * credential, and the client's own token is valid.
 */
const STATUSES: Readonly<Record<ErrorKind, number>> = {
  invalid: 422,
  not_found: 404,
  conflict: 409,
  fence_lost: 409,
  rate_limited: 429,
  unauthorized: 502,
  forbidden: 502,
  temporary: 503,
  cancelled: 503,
  internal: 500,
};

/** Converts an error to a problem. The message of an unknown error appears only in the log. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof InvalidRequest) {
    return problem(400, 'validation_failed', thrown.message, { errors: thrown.errors });
  }
  if (thrown instanceof RepotideError && thrown.kind !== 'internal') return problemOfRepotideError(thrown);
  if (thrown instanceof HttpException && thrown.getStatus() < 500) return problemOfHttpException(thrown);
  const detail = 'Something failed inside Repotide. The log holds the cause under this request id.';
  return problem(500, 'internal_error', detail);
}

function problemOfRepotideError(error: RepotideError): Problem {
  // RFC 9110 reserves 412 for a failed If-Match.
  const status = error.code === 'revision_mismatch' ? 412 : STATUSES[error.kind];
  return problem(status, error.code, error.message, extensionsOf(error));
}

/** The details of an error as members of the problem. Details about a field become an entry in `errors`. */
function extensionsOf({ details, message }: RepotideError): Readonly<Record<string, unknown>> {
  const { field, found, ...facts } = details;
  if (typeof field !== 'string') return details;
  return { ...facts, errors: [{ field, message, ...foundAt(field, found) }] };
}

/** Codes for errors of Express and Nest. */
const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'malformed_request',
  404: 'route_not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

function problemOfHttpException(exception: HttpException): Problem {
  const status = exception.getStatus();
  const code = exception instanceof HttpProblem ? exception.code : CODE_BY_STATUS[status];
  return problem(status, code ?? 'request_refused', exception.message);
}

export function problem(
  status: number,
  code: string,
  detail: string,
  extensions: Readonly<Record<string, unknown>> = {},
): Problem {
  return {
    ...extensions,
    type: `urn:repotide:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
  };
}

/** @throws not_found `<kind>_not_found` when there is no row. */
export function existing<Row>(row: Row | null, kind: string, id: string): Row {
  if (row !== null) return row;
  throw new RepotideError('not_found', `${kind}_not_found`, `There is no ${kind} ${id}.`);
}
