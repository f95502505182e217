import { type NextFunction, type Request, type Response } from 'express';
import { HttpProblem } from './http-problem.js';

/** Refuses a body that is not JSON: left unread, it would look like an empty request. */
export function jsonOnly(request: Request, _response: Response, next: NextFunction): void {
  // Null without a body, false with a body of another type.
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
