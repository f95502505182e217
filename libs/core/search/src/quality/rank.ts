/** Where a hit is. */
export interface FoundPlace {
  path: string;
  startLine: number;
  endLine: number;
}

/**
 * The rank of the first hit at the expected place, from 1; null: none is there.
 * @param expected a path, or `path:line`.
 */
export function rankOf(expected: string, hits: readonly FoundPlace[]): number | null {
  const [, path = expected, line] = /^(.*):(\d+)$/.exec(expected) ?? [];
  const place = hits.findIndex(
    (hit) =>
      hit.path === path &&
      (line === undefined || (hit.startLine <= Number(line) && Number(line) <= hit.endLine)),
  );
  return place < 0 ? null : place + 1;
}
