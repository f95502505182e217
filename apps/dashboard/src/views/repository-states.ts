import { type Execution, type List, type Repository, type Schedule } from '../api/answers.js';
import { type Api } from '../api/api.js';

export interface RepositoryState {
  repository: Repository;
  schedules: Schedule[];
  /** The newest, ended or not; null when none ever ran. */
  newest: Execution | null;
}

/** What one request brings: enough for most, so that a page costs two requests and not two for each repository. */
const AT_ONCE = 200;

/** What is known about each of these repositories. */
export async function loadStates(
  api: Api,
  repositories: readonly Repository[],
  signal: AbortSignal,
): Promise<RepositoryState[]> {
  const [executions, schedules] = await Promise.all([
    api.get<List<Execution>>(`api/v1/executions?limit=${AT_ONCE}`, signal),
    api.get<List<Schedule>>(`api/v1/schedules?limit=${AT_ONCE}`, signal),
  ]);
  const loadNewest = async (id: string): Promise<Execution | null> => {
    const found = executions.items.find(({ repository_id }) => repository_id === id);
    if (found || executions.total <= AT_ONCE) return found ?? null;
    const own = await api.get<List<Execution>>(`api/v1/executions?repository_id=${id}&limit=1`, signal);
    return own.items[0] ?? null;
  };
  const loadSchedules = async (id: string): Promise<Schedule[]> => {
    if (schedules.total <= AT_ONCE)
      return schedules.items.filter(({ repository_id }) => repository_id === id);
    return (await api.get<List<Schedule>>(`api/v1/schedules?repository_id=${id}`, signal)).items;
  };
  return Promise.all(
    repositories.map(async (repository) => ({
      repository,
      newest: await loadNewest(repository.id),
      schedules: await loadSchedules(repository.id),
    })),
  );
}
