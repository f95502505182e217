import { HttpProblem } from './http-problem.js';

/** The fields that were given: an absent one means "leave as it is", which an undefined value would not say. */
export function presentFields<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Refuses an edit that edits nothing: it would raise the revision, and surely was meant otherwise. */
export function someChange<T extends object>(changes: T): T {
  if (Object.keys(changes).length > 0) return changes;
  throw new HttpProblem(400, 'nothing_to_change', 'Give at least one field to change.');
}
