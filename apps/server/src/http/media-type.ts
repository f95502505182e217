import { type NextFunction, type Request, type Response } from 'express';
import { HttpProblem } from './http-problem.js';

/** Refuses a body that is not JSON. It would not be parsed, and the request would look empty. */
export function jsonOnly(request: Request, _response: Response, next: NextFunction): void {
  // `is` returns null without a body, and false for a body of another type.
  if (request.is(['json', '+json']) !== false || request.get('content-length') === '0') {
    next();
    return;
  }
  const found = request.get('content-type') ?? 'none';
  next(
    new HttpProblem(
      415,
      'unsupported_media_type',
      `The body must have Content-Type: application/json; found ${found}.`,
    ),
  );
}
