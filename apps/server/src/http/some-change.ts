import { HttpProblem } from './http-problem.js';

/** Refuses an edit without changes: it would only increase the revision, so it is probably a mistake. */
export function someChange<T extends object>(changes: T): T {
  if (Object.keys(changes).length > 0) return changes;
  throw new HttpProblem(400, 'nothing_to_change', 'Give at least one field to change.');
}
