import { InvalidRequest } from './invalid-request.js';

/** @throws InvalidRequest for a range that ends before it begins: nothing can lie in it, so it is a slip. */
export function assertForwards({ from, to }: { from?: Date; to?: Date }): void {
  if (from === undefined || to === undefined || from < to) return;
  const message = `from must be before to (${to.toISOString()}).`;
  throw new InvalidRequest([{ field: 'from', message, found: from.toISOString() }]);
}
