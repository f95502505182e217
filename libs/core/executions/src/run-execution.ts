import {
  RepotideError,
  toRepotideError,
  countersOf,
  type Clock,
  type Execution,
  type ExecutionStore,
  type Lease,
  type Hints,
  type LeaseManager,
  type Logger,
  type ManifestStore,
  type Repository,
  type RepositoryStore,
  type RunHandler,
  type RunHandlers,
  type RunIdentity,
  type RunObserver,
  type Tracer,
} from '@core/domain';
import { watchRun } from './watch-run.js';
import { withRetry } from './with-retry.js';
import { recordEnd, type RunEnd } from './record-end.js';
import { factsOf, outcomeOf } from './run-facts.js';

export interface RunnerPorts {
  executions: ExecutionStore;
  repositories: RepositoryStore;
  manifest: Pick<ManifestStore, 'flagSuspect'>;
  leases: LeaseManager;
  hints: Hints;
  observers: readonly RunObserver[];
  logger: Logger;
  clock: Clock;
  tracer: Tracer;
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
  handlers: RunHandlers,
  ports: RunnerPorts,
  settings: RunnerSettings,
  shutdown: AbortSignal,
): Promise<Execution | null> {
  const { executions, leases } = ports;
  if (shutdown.aborted) return null;
  const target = await drawTarget(executionId, handlers, ports);
  if (!target) return null;

  const { handler, repositoryId, fence } = target;
  const lease = handler.isReadOnly ? NO_LEASE : await leases.acquire({ repositoryId, executionId, fence });
  if (!lease) return null;
  try {
    const started = await executions.start(executionId, settings.podName, fence);
    if (!started) return null;
    // Not before: a run that ended in between has moved the pointer or left the index dirty.
    const repository = await ports.repositories.findIncludingDeleted(repositoryId);
    if (!repository) return null;
    return await ports.tracer.root('execution', factsOf(started.execution, started.fence), async (note) => {
      const ended = await workAndRecord(started, { handler, repository }, lease, ports, settings, shutdown);
      note(outcomeOf(ended));
      return ended;
    });
  } finally {
    await lease.release();
  }
}

/** Nobody waits for who only reads. */
const NO_LEASE: Lease = { signal: new AbortController().signal, release: async () => undefined };

async function drawTarget(
  executionId: string,
  handlers: Readonly<Partial<RunHandlers>>,
  { executions, logger }: RunnerPorts,
): Promise<{ handler: RunHandler; repositoryId: string; fence: number } | null> {
  const drawn = await executions.draw(executionId);
  if (drawn?.execution.status !== 'queued') return null;
  const { repositoryId, handler: name } = drawn.execution;
  const handler = handlers[name];
  if (!handler) {
    logger.warn({ execution_id: executionId, handler: name }, 'run left to a pod of a version that knows it');
    return null;
  }
  if (!drawn.isRepositoryDeleted || handler.takesDeleted)
    return { handler, repositoryId, fence: drawn.fence };
  const message = 'The repository was deleted before the run started.';
  await executions.abandonQueued(executionId, 'cancelled', 'repository_deleted', message);
  return null;
}

interface RunWork {
  repository: Repository;
  handler: RunHandler;
}

async function workAndRecord(
  started: RunIdentity & { execution: Execution },
  { repository, handler }: RunWork,
  lease: Lease,
  ports: RunnerPorts,
  settings: RunnerSettings,
  shutdown: AbortSignal,
): Promise<Execution | null> {
  const { execution, ...identity } = started;
  const { attempt } = execution;
  const logger = ports.logger.child({ repository_id: repository.id, attempt, fence: identity.fence });
  // An attempt continues the counts of the attempt before it.
  const counters = countersOf(execution);
  const watch = watchRun(identity, counters, [lease.signal, shutdown], ports, settings, logger);
  logger.info(
    { trigger: execution.trigger, handler: handler.name, project_path: repository.projectPath },
    'run started',
  );
  for (const observer of ports.observers) observer.begin(execution, repository);
  const record = (end: RunEnd) =>
    ports.tracer.span('record', {}, () => recordEnd(ports.executions, identity, end, logger));
  const { signal } = watch;
  let ended: Execution | null = null;
  let hasLostLease = false;
  try {
    ended = await record({
      outcome: await handler.run({ identity, execution, repository, signal, counters }),
    });
    hasLostLease = ended === null;
  } catch (thrown) {
    // What broke first is the reason; whatever the abort made of the calls in flight is noise.
    const error = toRepotideError(signal.aborted ? signal.reason : thrown);
    hasLostLease = error.code === 'lease_lost' || error.kind === 'fence_lost';
    if (hasLostLease) await flagSuspect(ports, repository.id, logger);
    const fromCommit = repository.lastSyncedCommit;
    ended = await record({ error, counters, fromCommit, attempt, now: ports.clock.now() });
    // After a thaw a request's time limit may be noticed before the loss of the lease.
    if (ended === null && !hasLostLease) await flagSuspect(ports, repository.id, logger);
    hasLostLease ||= ended === null;
  } finally {
    watch.stop();
    for (const observer of ports.observers) observer.end(identity.executionId, ended, hasLostLease);
  }
  return ended;
}

/** Writes in flight when the lease went may still reach the store: the next run must look at every point. */
async function flagSuspect({ manifest }: RunnerPorts, repositoryId: string, logger: Logger): Promise<void> {
  try {
    await withRetry('flagging the index for a check', () => manifest.flagSuspect(repositoryId), logger);
  } catch (thrown) {
    const error = toRepotideError(thrown);
    logger.error(
      { repository_id: repositoryId, error_code: error.code },
      'could not flag the index for a check',
    );
  }
}

/** The reason with which a stopping process aborts its runs: they are handed over, not failed. */
export function shutdownReason(): RepotideError {
  return new RepotideError('cancelled', 'shutdown', 'This pod is stopping; the run goes on elsewhere.');
}
