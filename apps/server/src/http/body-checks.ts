import { type NextFunction, type Request, type Response } from 'express';
import { HttpProblem } from './problem.js';

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

/** Valid bodies have at most three levels. The code that reads them is recursive. */
const MAX_DEPTH = 20;

/** Refuses a deeply nested body, which could overflow the stack. Install it after the body parsers. */
export function shallowOnly(request: Request, _response: Response, next: NextFunction): void {
  let level: unknown[] = [request.body];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) level = level.flatMap(membersOf);
  if (level.length === 0) next();
  else next(new HttpProblem(400, 'body_too_deep', `The body is nested more than ${MAX_DEPTH} levels deep.`));
}

/** The objects and arrays in a value. The raw bytes of a webhook have none. */
function membersOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).filter((member) => typeof member === 'object' && member !== null);
}
