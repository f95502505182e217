import { type RepositoryHit } from '../repository-hit.js';

/** A hit, and the neighbouring or overlapping chunks of its file that were found too. */
export interface MergedHit {
  best: RepositoryHit;
  chunks: RepositoryHit[];
  /** The reranker's score; absent: it did not read this hit. */
  relevance?: number;
}

/** Chunks of a file that touch or overlap become one hit, at the place of the best one. Keeps the order. */
export function mergeNeighbours(hits: readonly RepositoryHit[]): MergedHit[] {
  const byFile = new Map<string, MergedHit[]>();
  const merged: MergedHit[] = [];
  for (const hit of hits) {
    const key = `${hit.repository.id}\0${hit.payload.path}`;
    const ofFile = byFile.get(key) ?? [];
    byFile.set(key, ofFile);
    const neighbour = ofFile.find(({ chunks }) => chunks.some((chunk) => isNextTo(chunk, hit)));
    if (neighbour) neighbour.chunks.push(hit);
    else {
      const own = { best: hit, chunks: [hit] };
      ofFile.push(own);
      merged.push(own);
    }
  }
  return merged.filter((hit) => !joinsBetter(hit, byFile));
}

function isNextTo({ payload: one }: RepositoryHit, { payload: other }: RepositoryHit): boolean {
  const isOverlapping = one.start_line <= other.end_line && other.start_line <= one.end_line;
  return isOverlapping || Math.abs(one.chunk_index - other.chunk_index) === 1;
}

/** A chunk that was found later may connect two hits: the worse one joins the better one. */
function joinsBetter(hit: MergedHit, byFile: ReadonlyMap<string, MergedHit[]>): boolean {
  const { repository, payload } = hit.best;
  const ofFile = byFile.get(`${repository.id}\0${payload.path}`) ?? [];
  const better = ofFile
    .slice(0, ofFile.indexOf(hit))
    .find(({ chunks }) => chunks.some((one) => hit.chunks.some((other) => isNextTo(one, other))));
  if (!better) return false;
  better.chunks.push(...hit.chunks);
  return true;
}
