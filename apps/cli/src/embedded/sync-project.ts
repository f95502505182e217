import { randomUUID } from 'node:crypto';
import { type INestApplicationContext } from '@nestjs/common';
import {
  RepotideError,
  sleep,
  type Execution,
  ExecutionStore,
  ProgressStore,
  type Repository,
  RepositoryStore,
  type RunHandlerName,
  type DryRunReport,
  type NewRepository,
} from '@core/domain';
import {
  LostPods,
  RegistrationService,
  tokens,
  WorkerService,
  DryRunService,
} from '../../../server/src/index.js';
import { interrupted } from '../service/client.js';
import { showProgress } from './show-progress.js';
import { isBesideService } from './with-application.js';

const ENDED_POLL_MS = 250;

export interface SyncTarget {
  /** Numeric id or full path. */
  project: string;
  branch?: string;
}

/**
 * Finds the registered repository of a project and branch; null if there is none.
 * @throws conflict `branch_required` when several branches are registered and none is named.
 */
export async function findRegistered(
  context: INestApplicationContext,
  { project, branch }: SyncTarget,
): Promise<Repository | null> {
  const store = context.get(RepositoryStore);
  const filter = { projectPath: project, ...(branch === undefined ? {} : { branch }) };
  const { items, total } = await store.list(filter, { limit: 10, offset: 0 });
  if (total <= 1) return items[0] ?? null;
  const branches = items.map((repository) => repository.branch).join(', ');
  throw new RepotideError(
    'conflict',
    'branch_required',
    `${project} is registered with several branches (${branches}); name one with --branch.`,
  );
}

/** Finds the repository, or registers it. @throws as {@link findRegistered} and the registration. */
export async function findOrRegister(
  context: INestApplicationContext,
  target: SyncTarget,
  signal: AbortSignal,
): Promise<Repository> {
  const found = await findRegistered(context, target);
  return found ?? context.get(RegistrationService).register(projectOf(target), signal);
}

export function projectOf({ project, branch }: SyncTarget): { project: string | number; branch?: string } {
  const numericId = /^\d+$/.test(project) ? Number(project) : project;
  return { project: numericId, ...(branch === undefined ? {} : { branch }) };
}

export interface RunOptions {
  handler?: RunHandlerName;
  full?: boolean;
  maxEmbeddingTokens?: number | null;
  /** Shown next to the progress bar. */
  label?: string;
  signal: AbortSignal;
}

/**
 * Runs an execution to its end in this process and shows its progress. Beside a running service, that one runs it.
 * @throws conflict `run_in_progress` when another process runs it.
 */
export async function syncNow(
  context: INestApplicationContext,
  repository: Repository,
  options: RunOptions,
): Promise<Execution> {
  const runs = context.get(WorkerService);
  const execution = await queuedExecution(context, repository, options);
  if (isBesideService(context)) return ended(context, execution.id, options.signal);
  const stopShowing = showProgress(context.get(ProgressStore), execution.id, options.label);
  const stopRun = (): void => runs.stopNow();
  options.signal.addEventListener('abort', stopRun, { once: true });
  try {
    await runs.runNow(execution.id);
  } finally {
    options.signal.removeEventListener('abort', stopRun);
    stopShowing();
  }
  const after = (await context.get(ExecutionStore).find(execution.id))!;
  if (options.signal.aborted && after.completedAt === null) throw stopped(after.id);
  return after;
}

function stopped(executionId: string): Error {
  return interrupted(
    `The run ${executionId} was stopped. It is queued again: the next sync of the repository continues where it stopped.`,
  );
}

/** Waits for the end of a run of another process. An interrupted command leaves it running. */
async function ended(
  context: INestApplicationContext,
  executionId: string,
  signal: AbortSignal,
): Promise<Execution> {
  process.stderr.write(`The running service executes the run ${executionId}.\n`);
  for (;;) {
    const execution = (await context.get(ExecutionStore).find(executionId))!;
    if (execution.completedAt !== null) return execution;
    if (signal.aborted)
      throw interrupted(
        `The running service continues the run ${executionId}; "repotide cancel ${executionId}" ends it.`,
      );
    await sleep(ENDED_POLL_MS, new AbortController().signal);
  }
}

/**
 * Continues a queued execution, for example an interrupted one, if it matches the request. Otherwise queues a new one,
 * which replaces an execution that waits for further pushes.
 * @throws conflict `run_queued_otherwise` when the queued execution would do less, or has another token limit.
 */
async function queuedExecution(
  context: INestApplicationContext,
  { id: repositoryId }: Repository,
  { handler = 'repository_sync', full: fullSync = false, maxEmbeddingTokens = null }: RunOptions,
): Promise<Execution> {
  // Another process may be alive under this pod's name: the service of the container in which this command runs.
  if (context.get<boolean>(tokens.IS_DATA_EXCLUSIVE)) await context.get(LostPods).recoverOwn();
  const executions = context.get(ExecutionStore);
  const { items } = await executions.list({ repositoryId, status: ['queued'] }, { limit: 10, offset: 0 });
  const request = { repositoryId, handler, fullSync, maxEmbeddingTokens };
  const queued = items.find((execution) => execution.handler === handler);
  if (queued !== undefined && doesCover(queued, request)) {
    process.stderr.write(`Continuing the queued run: ${describeQueued(queued)}.\n`);
    return queued;
  }
  if (queued !== undefined && queued.trigger !== 'webhook') throw queuedOtherwise(queued);
  return executions.enqueue({ ...request, trigger: 'manual', requestedBy: 'cli' });
}

/** A queued execution may be full or limited without a request for it: the output says so. */
function doesCover(queued: Execution, request: Pick<Execution, 'fullSync' | 'maxEmbeddingTokens'>): boolean {
  if (request.fullSync && !queued.fullSync) return false;
  return request.maxEmbeddingTokens === null || request.maxEmbeddingTokens === queued.maxEmbeddingTokens;
}

function queuedOtherwise(queued: Execution): RepotideError {
  return new RepotideError(
    'conflict',
    'run_queued_otherwise',
    `Another run is queued: ${describeQueued(queued)}. Run the command without --full and --max-tokens to let that one ` +
      'run now, and then again with them; or cancel it.',
    { details: { execution_id: queued.id } },
  );
}

function describeQueued({ id, trigger, attempt, fullSync, maxEmbeddingTokens }: Execution): string {
  const limit = maxEmbeddingTokens === null ? '' : `, at most ${maxEmbeddingTokens} tokens`;
  return `${id} (${trigger}, attempt ${attempt}${fullSync ? ', full' : ''}${limit})`;
}

/** Plans a sync of a project. Uses default settings for an unregistered project, and does not register it. */
export async function dryRunNow(
  context: INestApplicationContext,
  target: SyncTarget,
  { full, signal }: { full: boolean; signal: AbortSignal },
): Promise<DryRunReport> {
  const registered = await findRegistered(context, target);
  const repository =
    registered ?? unregistered(await context.get(RegistrationService).locate(projectOf(target), signal));
  return context.get(DryRunService).plan(repository, { fullSync: full }, signal);
}

/** The row that the repository would have after its registration: nothing is indexed yet. */
function unregistered(repository: NewRepository): Repository {
  const now = new Date();
  return {
    ...repository,
    id: randomUUID(),
    generationId: null,
    lastSyncedCommit: null,
    lastSyncAt: null,
    indexFingerprint: null,
    indexDirty: false,
    indexSuspicions: 0,
    revision: 1,
    discoveryId: null,
    missingSince: null,
    purgedAt: null,
    markFence: null,
    markPoints: null,
    lostSince: null,
    lastVerifiedAt: null,
    lastDrift: null,
    warnings: [],
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}
