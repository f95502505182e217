import { type List, type Repository } from '../api/answers.js';
import { withQuery } from '../api/api.js';
import { useAnswer } from './use-load.js';

const REFRESH_MS = 60_000;
/** As many as the API answers at once. */
const MOST = 500;
/** As many as it is asked for by id at once. */
const MOST_IDS = 100;

export interface RepositoryNames {
  /** By name; the first 500. */
  all: readonly Repository[];
  nameOf: (repositoryId: string) => string;
}

/** @param shown repositories whose names are needed, beyond the first 500 and deleted ones too. */
export function useRepositoryNames(shown: readonly string[] = []): RepositoryNames {
  const list = useAnswer<List<Repository>>(
    withQuery('api/v1/repositories', { sort: 'project_path', limit: MOST }),
    REFRESH_MS,
  );
  const all = list.data?.items ?? [];
  const listed = new Set(all.map(({ id }) => id));
  const missing = [...new Set(shown)]
    .filter((id) => !listed.has(id))
    .toSorted()
    .slice(0, MOST_IDS);
  const further = useAnswer<List<Repository>>(
    list.data === null || missing.length === 0
      ? null
      : withQuery('api/v1/repositories', {
          id: missing.join(','),
          include_deleted: 'true',
          limit: MOST_IDS,
        }),
  );
  const names = new Map([...all, ...(further.data?.items ?? [])].map((row) => [row.id, nameOf(row)]));
  return { all, nameOf: (id) => names.get(id) ?? id };
}

/** Choices of a field: by name, with the one that is chosen, whether it is among them or not. */
export function repositoryOptions(
  { all, nameOf: nameOfId }: RepositoryNames,
  chosen: string | undefined,
): (readonly [string, string])[] {
  const options = all.map((row) => [row.id, nameOf(row)] as const);
  const isListed = !chosen || options.some(([id]) => id === chosen);
  return isListed ? options : [[chosen, nameOfId(chosen)], ...options];
}

function nameOf({ project_path, branch, deleted_at }: Repository): string {
  return `${project_path} @ ${branch}${deleted_at === null ? '' : ' (deleted)'}`;
}
