import { type List, type Repository } from '../api/answers.js';
import { useAnswer } from './use-load.js';

const REFRESH_MS = 60_000;
/** As many as the API answers at once; further ones are shown by id. */
const MOST = 500;

export interface RepositoryNames {
  all: readonly Repository[];
  nameOf: (repositoryId: string) => string;
}

export function useRepositoryNames(): RepositoryNames {
  const { data } = useAnswer<List<Repository>>(`api/v1/repositories?limit=${MOST}`, REFRESH_MS);
  const all = data?.items ?? [];
  const names = new Map(all.map(({ id, project_path, branch }) => [id, `${project_path} @ ${branch}`]));
  return { all, nameOf: (id) => names.get(id) ?? id };
}
