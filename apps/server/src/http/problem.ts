import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { RepotideError, type ErrorKind } from '@core/domain';
import { HttpProblem } from './http-problem.js';
import { InvalidRequest, type FieldError } from './invalid-request.js';

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
function statusOf(kind: ErrorKind): number {
  switch (kind) {
    case 'invalid':
      return 422;
    case 'not_found':
      return 404;
    case 'conflict':
    case 'fence_lost':
      return 409;
    case 'rate_limited':
      return 429;
    case 'unauthorized':
    case 'forbidden':
      return 502;
    case 'temporary':
    case 'cancelled':
      return 503;
    case 'internal':
      return 500;
  }
}

/** Converts an error to a problem. The message of an unknown error appears only in the log. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof InvalidRequest) {
    return problem(400, 'validation_failed', thrown.message, { errors: thrown.errors });
  }
  if (thrown instanceof RepotideError && thrown.kind !== 'internal') return problemOfRepotideError(thrown);
  if (thrown instanceof HttpException && thrown.getStatus() < 500) return problemOfHttpException(thrown);
  return problem(
    500,
    'internal_error',
    'Something failed inside Repotide. The log holds the cause under this request id.',
  );
}

function problemOfRepotideError(error: RepotideError): Problem {
  // RFC 9110 reserves 412 for a failed If-Match.
  const status = error.code === 'revision_mismatch' ? 412 : statusOf(error.kind);
  return problem(status, error.code, error.message, extensionsOf(error));
}

/** The details of an error as members of the problem. Details about a field become an entry in `errors`. */
function extensionsOf({ details, message }: RepotideError): Readonly<Record<string, unknown>> {
  const { field, found, ...facts } = details;
  if (typeof field !== 'string') return details;
  return { ...facts, errors: [{ field, message, ...(found === undefined ? {} : { found }) }] };
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

function problem(
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
