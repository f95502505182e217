import { kindOf } from './content-kind.js';
import { linkToLines } from './line-link.js';
import { matchingLines, type Matching } from './matching.js';
import { type MergedHit } from './merge-hits.js';
import { snippetOf } from './snippet.js';

export type Answer = ReturnType<typeof answerOf>;

/** A hit as the API, the command line and agents show it; see `SearchHitDto`. */
export function answerOf({ best, chunks, relevance }: MergedHit, matching: Matching, height?: number) {
  const { payload, repository, score, scores, names = null } = best;
  const { path, start_line: startLine, end_line: endLine, language, commit, text } = payload;
  const { id: repositoryId, projectPath, branch, lastSyncedCommit, lastSyncAt } = repository;
  const snippet = snippetOf(text, startLine, matching.scorerOf(text), height);
  return {
    ...{ repositoryId, projectPath, branch, path, startLine, endLine, language, commit, score, text },
    scores: { ...scores, names, reranker: relevance ?? null },
    kind: kindOf(path, language),
    chunks: chunks.length,
    snippet,
    matchingLines: matchingLines(chunks, matching),
    webUrl: linkToLines(repository, { path, commit, startLine: snippet.startLine, endLine: snippet.endLine }),
    freshness: { syncedCommit: lastSyncedCommit, lastSyncAt, ageSeconds: ageOf(lastSyncAt) },
  };
}

function ageOf(at: Date | null): number | null {
  return at === null ? null : Math.max(0, Math.round((Date.now() - at.getTime()) / 1000));
}
