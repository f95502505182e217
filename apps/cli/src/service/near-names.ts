const MOST = 3;

/** Paths of projects that a mistyped one may mean, nearest first. */
export function nearNames(typed: string, paths: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  const farthest = Math.max(2, Math.floor(wanted.length / 4));
  return [...new Set(paths)]
    .map((path) => ({ path, edits: editsBetween(wanted, path.toLowerCase()) }))
    .filter(({ edits }) => edits <= farthest)
    .sort((left, right) => left.edits - right.edits)
    .slice(0, MOST)
    .map(({ path }) => path);
}

/** Fewest edits that make one path of the other; a project of the same name in another group is one edit away. */
function editsBetween(left: string, right: string): number {
  const project = distance(lastPart(left), lastPart(right));
  return Math.min(distance(left, right), project <= 1 ? 1 + project : Infinity);
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Letters to insert, delete or replace (Levenshtein). */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const isSame = left[at - 1] === right[to - 1];
      next.push(Math.min(row[to]! + 1, next[to - 1]! + 1, row[to - 1]! + (isSame ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}
