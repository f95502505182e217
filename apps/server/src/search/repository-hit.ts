import { type Repository, type SearchHit } from '@core/domain';

/** A hit with the repository's current row; its points may still hold an older project path. */
export interface RepositoryHit extends SearchHit {
  /** Best first: of a hybrid search 0 to 1, otherwise that of its lane. */
  score: number;
  /** How well the names that the text defines fit a question, 0 to 1. Absent or null: they were not compared. */
  names?: number | null;
  repository: Repository;
}

/**
 * Keeps the newest version of each file. While a file is replaced, its new points are stored before the former ones are
 * deleted, so that a search can find both.
 */
export function oneVersionPerFile<Hit extends SearchHit>(hits: readonly Hit[]): Hit[] {
  const latest = new Map<string, SearchHit['payload']>();
  for (const { payload } of hits) {
    const found = latest.get(fileOf(payload));
    if (!found || payload.fence > found.fence) latest.set(fileOf(payload), payload);
  }
  return hits.filter(({ payload }) => latest.get(fileOf(payload))?.file_version === payload.file_version);
}

function fileOf({ repository_id: repositoryId, path }: SearchHit['payload']): string {
  return `${repositoryId}\0${path}`;
}

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
