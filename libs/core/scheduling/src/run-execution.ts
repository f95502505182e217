import {
  RepotideError,
  toRepotideError,
  zeroCounters,
  type Execution,
  type ExecutionStore,
  type Lease,
  type LeaseManager,
  type Logger,
  type Repository,
  type RepositoryStore,
  type RunCounters,
  type RunIdentity,
  type RunOutcome,
} from '@core/domain';
import { watchRun } from './watch-run.js';
import { recordEnd } from './record-end.js';

/** A run that holds the lease and the execution row, as its handler sees it. */
export interface ActiveRun {
  identity: RunIdentity;
  execution: Execution;
  repository: Repository;
  /** Fires on cancel, lost lease, shutdown or timeout, with a RepotideError as its reason. */
  signal: AbortSignal;
  /** Filled in by the handler, stored by the heartbeat while the run goes on. */
  counters: RunCounters;
}

/** Does the work of one run. Throws RepotideError when the run as a whole failed. */
export type RunHandler = (run: ActiveRun) => Promise<RunOutcome>;

export interface RunnerPorts {
  executions: ExecutionStore;
  repositories: RepositoryStore;
  leases: LeaseManager;
  logger: Logger;
}

export interface RunnerSettings {
  podName: string;
  heartbeatMs: number;
  maxRunMs: number;
}

/**
 * Takes one queued execution from lease to record: fence, lease, queued -> running, work, outcome, release.
 * Safe to call twice, from any pod, for any id: only one caller gets past the lease and the compare-and-set.
 * @param shutdown fires when this process must stop: the run is handed over to whoever dispatches it next.
 * @returns the row as it ended, or null when there was nothing to do here.
 * @throws only when Postgres stays out of reach; the reaper then finds the row by its heartbeat.
 */
export async function runExecution(
  executionId: string,
  handler: RunHandler,
  ports: RunnerPorts,
  settings: RunnerSettings,
  shutdown: AbortSignal,
): Promise<Execution | null> {
  const { executions, leases } = ports;
  if (shutdown.aborted) return null;
  const target = await findTarget(executionId, ports);
  if (!target) return null;

  const fence = await executions.nextFence();
  const lease = await leases.acquire({ repositoryId: target.repository.id, executionId, fence });
  if (!lease) return null;
  try {
    const started = await executions.start(executionId, settings.podName, fence);
    if (!started) return null;
    return await workAndRecord(started, target.repository, lease, handler, ports, settings, shutdown);
  } finally {
    await lease.release();
  }
}

interface RunTarget {
  execution: Execution;
  repository: Repository;
}

async function findTarget(executionId: string, ports: RunnerPorts): Promise<RunTarget | null> {
  const execution = await ports.executions.find(executionId);
  if (execution?.status !== 'queued') return null;
  const repository = await ports.repositories.find(execution.repositoryId);
  if (repository) return { execution, repository };
  const message = 'The repository was deleted before the run started.';
  await ports.executions.abandonQueued(executionId, 'cancelled', 'repository_deleted', message);
  return null;
}

async function workAndRecord(
  started: RunIdentity & { execution: Execution },
  repository: Repository,
  lease: Lease,
  handler: RunHandler,
  ports: RunnerPorts,
  settings: RunnerSettings,
  shutdown: AbortSignal,
): Promise<Execution | null> {
  const { execution, ...identity } = started;
  const logger = ports.logger.child({
    execution_id: identity.executionId,
    repository_id: repository.id,
    attempt: execution.attempt,
    fence: identity.fence,
  });
  const counters = countersOf(execution);
  const watch = watchRun(identity, counters, [lease.signal, shutdown], ports.executions, settings, logger);
  logger.info({ trigger: execution.trigger, project_path: repository.projectPath }, 'run started');
  try {
    const outcome = await handler({ identity, execution, repository, signal: watch.signal, counters });
    return await recordEnd(ports.executions, identity, { outcome }, logger);
  } catch (thrown) {
    // What broke first is the reason; whatever the abort made of the calls in flight is noise.
    const error = toRepotideError(watch.signal.aborted ? watch.signal.reason : thrown);
    return await recordEnd(
      ports.executions,
      identity,
      { error, counters, fromCommit: repository.lastSyncedCommit },
      logger,
    );
  } finally {
    watch.stop();
  }
}

/** An attempt goes on counting where the one before it stopped. */
function countersOf(execution: Execution): RunCounters {
  const counters = zeroCounters();
  for (const key of Object.keys(counters) as (keyof RunCounters)[]) counters[key] = execution[key];
  return counters;
}

/** The reason with which a stopping process aborts its runs: they are handed over, not failed. */
export function shutdownReason(): RepotideError {
  return new RepotideError('cancelled', 'shutdown', 'This pod is stopping; the run goes on elsewhere.');
}
