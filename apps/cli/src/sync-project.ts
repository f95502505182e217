import { type INestApplicationContext } from '@nestjs/common';
import {
  RepotideError,
  type Execution,
  type ExecutionStore,
  type ProgressBoard,
  type Repository,
  type RepositoryStore,
} from '@core/domain';
import { RecoveryService, RegistrationService, WorkerService, tokens } from '../../server/src/index.js';
import { showProgress } from './output/progress-line.js';

export interface SyncTarget {
  /** Numeric id or full path. */
  project: string;
  branch?: string;
}

/**
 * The registered repository of a project and branch, registered now if it is new.
 * @throws conflict `branch_required` when several branches are registered and none is named.
 */
export async function findOrRegister(
  context: INestApplicationContext,
  { project, branch }: SyncTarget,
  signal: AbortSignal,
): Promise<Repository> {
  const store = context.get<RepositoryStore>(tokens.REPOSITORY_STORE);
  const filter = { projectPath: project, ...(branch === undefined ? {} : { branch }) };
  const { items, total } = await store.list(filter, { limit: 10, offset: 0 });
  if (total === 1) return items[0]!;
  if (total > 1) {
    const branches = items.map((repository) => repository.branch).join(', ');
    throw new RepotideError(
      'conflict',
      'branch_required',
      `${project} is registered with several branches (${branches}); name one with --branch.`,
    );
  }
  const numericId = /^\d+$/.test(project) ? Number(project) : project;
  const registration = { project: numericId, ...(branch === undefined ? {} : { branch }) };
  return context.get(RegistrationService).register(registration, signal);
}

/**
 * Runs one repository to its end in this process, with its progress shown.
 * @throws conflict `run_in_progress` when another process runs it.
 */
export async function syncNow(
  context: INestApplicationContext,
  repository: Repository,
  options: { full: boolean; signal: AbortSignal },
): Promise<Execution> {
  const runs = context.get(WorkerService);
  const execution = await queuedExecution(context, repository, options.full);
  const stopShowing = showProgress(context.get<ProgressBoard>(tokens.PROGRESS_BOARD), execution.id);
  const stopRun = (): void => runs.stopNow();
  options.signal.addEventListener('abort', stopRun, { once: true });
  try {
    await runs.runNow(execution.id);
  } finally {
    options.signal.removeEventListener('abort', stopRun);
    stopShowing();
  }
  return (await context.get<ExecutionStore>(tokens.EXECUTION_STORE).find(execution.id))!;
}

/** A run that was interrupted and queued again goes on under its own row; otherwise a new one is queued. */
async function queuedExecution(
  context: INestApplicationContext,
  repository: Repository,
  full: boolean,
): Promise<Execution> {
  await context.get(RecoveryService).recoverOwn();
  const executions = context.get<ExecutionStore>(tokens.EXECUTION_STORE);
  const queued = await executions.list(
    { repositoryId: repository.id, status: ['queued'] },
    { limit: 1, offset: 0 },
  );
  return (
    queued.items[0] ??
    executions.enqueue({ repositoryId: repository.id, trigger: 'manual', requestedBy: 'cli', fullSync: full })
  );
}
