import { type Schemas } from '../api/schema.js';
import { useApi } from './use-load.js';

const REFRESH_MS = 60_000;
/** The API's largest page. */
const MAX_ROWS = 500;
/** The most ids that the API accepts in one request. */
const MAX_IDS = 100;

export interface RepositoryNames {
  nameOf: (repositoryId: string) => string;
  /** Values and texts for a select: the first 500 by name, and the chosen one. */
  options: readonly (readonly [string, string])[];
}

/**
 * @param shown repositories whose names are needed, also beyond the first 500 and deleted ones.
 * @param chosen the repository that a filter names.
 */
export function useRepositoryNames(shown: readonly string[], chosen?: string): RepositoryNames {
  const list = useApi(
    '/api/v1/repositories',
    { query: { sort: 'project_path', limit: MAX_ROWS } },
    REFRESH_MS,
  );
  const all = list.data?.items ?? [];
  const listed = new Set(all.map(({ id }) => id));
  const missing = [...new Set(chosen ? [chosen, ...shown] : shown)].filter((id) => !listed.has(id));
  const further = useApi(list.data === null || missing.length === 0 ? null : '/api/v1/repositories', {
    query: { id: missing.toSorted().slice(0, MAX_IDS), include_deleted: true, limit: MAX_IDS },
  });
  const names = new Map([...all, ...(further.data?.items ?? [])].map((row) => [row.id, nameOf(row)]));
  const nameOfId = (id: string): string => names.get(id) ?? id;
  const options = all.map(({ id }) => [id, nameOfId(id)] as const);
  const isListed = !chosen || listed.has(chosen);
  return { nameOf: nameOfId, options: isListed ? options : [[chosen, nameOfId(chosen)], ...options] };
}

function nameOf({ project_path, branch, deleted_at }: Schemas['RepositoryDto']): string {
  return `${project_path} @ ${branch}${deleted_at === null ? '' : ' (deleted)'}`;
}
