import { type NextFunction, type Request, type Response } from 'express';
import { HttpProblem } from './http-problem.js';

/** Bodies of this API are at most three deep; the code that reads them calls itself for each level. */
const MAX_DEPTH = 20;

/** Refuses a body that is nested so deep that reading it could use up the stack. Call after the body was parsed. */
export function shallowOnly(request: Request, _response: Response, next: NextFunction): void {
  let level: unknown[] = [request.body];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) level = level.flatMap(membersOf);
  if (level.length === 0) next();
  else next(new HttpProblem(400, 'body_too_deep', `The body is nested more than ${MAX_DEPTH} levels deep.`));
}

/** Objects and lists within a value; the raw bytes of a webhook hold none. */
function membersOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).filter((member) => typeof member === 'object' && member !== null);
}
