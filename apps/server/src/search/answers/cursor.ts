import { createHash } from 'node:crypto';
import { RepotideError } from '@core/domain';

/** A place in the order of hits. */
export interface Place {
  score: number;
  repositoryId: string;
  path: string;
  startLine: number;
}

/** Best first, then by place: a total order, so that pages neither repeat nor skip a hit. */
export function byPlace(left: Place, right: Place): number {
  return (
    right.score - left.score ||
    compare(left.repositoryId, right.repositoryId) ||
    compare(left.path, right.path) ||
    left.startLine - right.startLine
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** The address of the page after a hit, for the same request only. */
export function cursorAfter({ score, repositoryId, path, startLine }: Place, request: object): string {
  const place = [requestId(request), score, repositoryId, path, startLine];
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** @throws invalid `cursor_invalid`: it is of another request, or changed. */
export function placeOf(cursor: string, request: object): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [id, score, repositoryId, path, startLine] = place as [string, number, string, string, number];
    if (id === requestId(request) && Number.isFinite(score) && Number.isInteger(startLine)) {
      return { score, repositoryId: String(repositoryId), path: String(path), startLine };
    }
  } catch {
    // Not a cursor: the error below says what to send.
  }
  const message =
    'cursor must be next_cursor of an answer to the same query with the same filters. Leave it out for the first page.';
  throw new RepotideError('invalid', 'cursor_invalid', message, { details: { field: 'cursor' } });
}

function requestId(request: object): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url').slice(0, 12);
}
