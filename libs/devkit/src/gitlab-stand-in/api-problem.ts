import { type Answer, htmlAnswer, jsonAnswer } from '../http/answer.js';

/** An answer that ends a request early; the handlers throw it. */
export class ApiProblem extends Error {
  constructor(readonly answer: Answer) {
    super(`${answer.status}`);
  }
}

export function notFound(what: string): ApiProblem {
  return problem(404, { message: `404 ${what} Not Found` });
}

/** GitLab's errors for an unknown route and for a missing object have different formats. */
export function unknownRoute(): ApiProblem {
  return problem(404, { error: '404 Not Found' });
}

export function forbidden(): ApiProblem {
  return problem(403, { message: '403 Forbidden' });
}

/** A parameter is missing or malformed: `{"error": ...}`. */
export function badParameter(error: string): ApiProblem {
  return problem(400, { error });
}

/** An application limit: no headers, and `message` is an object. */
export function applicationLimit(error: string): ApiProblem {
  return problem(429, { message: { error } });
}

export const TOO_MANY_REQUESTS = 'This endpoint has been requested too many times. Try again later.';

export function problem(status: number, body: object): ApiProblem {
  return new ApiProblem(jsonAnswer(status, body));
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** The default body of GitLab, or of a proxy in front of it, for an error status. */
export function plainError(status: number): Answer {
  const reason = REASONS[status] ?? 'Error';
  if (status === 429) return retryLater();
  if (status <= 500) return jsonAnswer(status, { message: `${status} ${reason}` });
  const page = `<!DOCTYPE html>\n<html><head><title>${reason} (${status})</title></head><body><h1>${status}</h1></body></html>\n`;
  return htmlAnswer(status, page);
}

/** The body of the general throttle. */
export function retryLater(headers: Record<string, string> = {}): Answer {
  return {
    status: 429,
    headers: { 'content-type': 'text/plain', ...headers },
    body: Buffer.from('Retry later\n'),
  };
}
