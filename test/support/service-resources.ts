import { until } from './command-line.js';
import { type Service } from './installation.js';

/** The fields of answers that the tests read. */
export interface RepositoryRow {
  id: string;
  last_synced_commit: string | null;
  index_dirty: boolean;
}
export interface ScheduleRow {
  id: string;
  next_run_at: string | null;
}
export interface ExecutionRow {
  id: string;
  status: string;
  trigger: string;
  attempt: number;
  interruptions: number;
  schedule_session_id: string | null;
  scheduled_for: string | null;
  queued_at: string;
  started_at: string | null;
  available_at: string | null;
  cancel_requested_at: string | null;
  coalesced_count: number;
  files_added: number;
  chunks_upserted: number;
  error_code: string | null;
  error_message: string | null;
}
export interface List<T> {
  items: T[];
  total: number;
}

export function register(service: Service, projectPath: string, more: object = {}): Promise<RepositoryRow> {
  return service.post('/api/v1/repositories', { project_path: projectPath, ...more });
}

export function schedule(service: Service, repositoryId: string, more: object = {}): Promise<ScheduleRow> {
  const everyMinute = { repository_id: repositoryId, cron_expression: '* * * * *' };
  return service.post('/api/v1/schedules', { ...everyMinute, ...more });
}

/** Starts a manual run. @returns its execution's id. */
export async function startSync(service: Service, { id }: Pick<RepositoryRow, 'id'>): Promise<string> {
  const started = await service.post<{ execution_id: string }>(`/api/v1/repositories/${id}/sync`);
  return started.execution_id;
}

export function execution(service: Service, id: string): Promise<ExecutionRow> {
  return service.get(`/api/v1/executions/${id}`);
}

/** Of one repository, newest first. */
export async function executionsOf(service: Service, { id }: RepositoryRow): Promise<ExecutionRow[]> {
  const { items } = await service.get<List<ExecutionRow>>(`/api/v1/executions?repository_id=${id}&limit=500`);
  return items;
}

/** Of one repository, oldest tick first. */
export async function ticks(service: Service, { id }: Pick<RepositoryRow, 'id'>): Promise<ExecutionRow[]> {
  const { items } = await service.get<List<ExecutionRow>>(
    `/api/v1/executions?repository_id=${id}&trigger=cron&limit=500`,
  );
  return items.sort((left, right) => String(left.scheduled_for).localeCompare(String(right.scheduled_for)));
}

/** Waits until the row meets the condition. */
export async function executionThat(
  service: Service,
  id: string,
  isAsAsked: (row: ExecutionRow) => boolean,
  limitMs?: number,
  pollMs?: number,
): Promise<ExecutionRow> {
  let row = await execution(service, id);
  const isReached = async (): Promise<boolean> => isAsAsked((row = await execution(service, id)));
  await until(`execution ${id}`, isReached, limitMs, pollMs).catch((error: unknown) => {
    throw new Error(`The row stayed ${JSON.stringify(row)}`, { cause: error });
  });
  return row;
}

export const isOver = ({ status }: ExecutionRow): boolean => status !== 'queued' && status !== 'running';
