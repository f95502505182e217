import { type Answer, jsonAnswer } from '../http/answer.js';

/** The `Status` object in which Kubernetes reports an error. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: object;
  status: 'Failure';
  message: string;
  reason: string;
  details?: object;
  code: number;
}

const REASONS: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

export function statusObject(code: number, message: string, details?: object): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: REASONS[code] ?? 'Unknown',
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** An error that ends a request. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly details?: object,
  ) {
    super(message);
  }

  toAnswer(): Answer {
    return jsonAnswer(this.code, statusObject(this.code, this.message, this.details));
  }
}

export function plainStatus(code: number): Answer {
  return jsonAnswer(code, statusObject(code, REASONS[code] ?? 'unknown'));
}
