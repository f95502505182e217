import { createHash } from 'node:crypto';
import { RepotideError } from '@core/domain';

/** A place in the order of hits. */
export interface Place {
  /** The reranker's score; null: it did not read the hit, which comes after those that it read. */
  relevance: number | null;
  score: number;
  repositoryId: string;
  path: string;
  startLine: number;
}

/** Best first, then by place: a total order, so that pages neither repeat nor skip a hit. */
export function byPlace(left: Place, right: Place): number {
  return (
    byRelevance(left.relevance, right.relevance) ||
    right.score - left.score ||
    compare(left.repositoryId, right.repositoryId) ||
    compare(left.path, right.path) ||
    left.startLine - right.startLine
  );
}

function byRelevance(left: number | null, right: number | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return right - left;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** Where a page ends, and in which order. */
export interface PageEnd extends Place {
  /** Whether a reranker ordered the hits. */
  isReranked: boolean;
}

/** The address of the page after a hit, for the same request only. */
export function cursorAfter(
  { isReranked, relevance, score, repositoryId, path, startLine }: PageEnd,
  request: object,
): string {
  const end = [requestId(request), isReranked, relevance, score, repositoryId, path, startLine];
  return Buffer.from(JSON.stringify(end)).toString('base64url');
}

/** @throws invalid `cursor_invalid`: it is of another request, or changed. */
export function placeOf(cursor: string, request: object): PageEnd {
  try {
    const end: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [id, isReranked, relevance, score, repositoryId, path, startLine] = end as unknown[];
    if (
      id === requestId(request) &&
      typeof isReranked === 'boolean' &&
      (relevance === null || typeof relevance === 'number') &&
      typeof score === 'number' &&
      typeof startLine === 'number'
    ) {
      return {
        isReranked,
        relevance,
        score,
        repositoryId: String(repositoryId),
        path: String(path),
        startLine,
      };
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
