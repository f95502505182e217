import { type Repository } from '@core/domain';
import { type RepositoryHit } from './repository-hit.js';

/** Keeps the first of equal chunks at one path in several branches. Keeps equal chunks within one branch. */
export function withoutDuplicates(hits: readonly RepositoryHit[]): RepositoryHit[] {
  const shownBy = new Map<string, string>();
  return hits.filter(({ repository, payload }) => {
    const key = [projectOf(repository), payload.path, payload.content_hash].join('\0');
    const shown = shownBy.get(key) ?? repository.id;
    shownBy.set(key, shown);
    return shown === repository.id;
  });
}

export function projectOf({ baseUrl, projectId, projectPath }: Repository): string {
  return `${projectId ?? projectPath} ${baseUrl}`;
}

/** Sorts by score, then by place, so that the same query always gets the same order. */
export function bestFirst(left: RepositoryHit, right: RepositoryHit): number {
  return (
    right.score - left.score ||
    left.repository.projectPath.localeCompare(right.repository.projectPath) ||
    left.payload.path.localeCompare(right.payload.path) ||
    left.payload.start_line - right.payload.start_line ||
    left.repository.branch.localeCompare(right.repository.branch)
  );
}
