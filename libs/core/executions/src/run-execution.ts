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
 * Runs one queued execution: fence, lease, queued -> running, work, outcome, release. Safe to call twice, from any pod, for
 * any id: only one caller gets past the lease and the compare-and-set.
 * @param shutdown fires when this process stops: another pod continues the run.
 * @returns the final row; null when there was nothing to run.
 * @throws only while Postgres is down for longer than the retries; then the reaper recovers the run.
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
  const target = await prepareTarget(executionId, handlers, ports);
  if (!target) return null;

  const { handler, repositoryId, fence } = target;
  const lease = handler.isReadOnly ? NO_LEASE : await leases.acquire({ repositoryId, executionId, fence });
  if (!lease) return null;
  try {
    const started = await executions.start(executionId, settings.podName, fence);
    if (!started) return null;
    // Read after the start: an earlier run may just have moved the pointer or left the index dirty.
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

/** A read-only handler needs no lease: it may run beside other runs. */
const NO_LEASE: Lease = { signal: new AbortController().signal, release: async () => undefined };

async function prepareTarget(
  executionId: string,
  handlers: Readonly<Partial<RunHandlers>>,
  { executions, logger }: RunnerPorts,
): Promise<{ handler: RunHandler; repositoryId: string; fence: number } | null> {
  const prepared = await executions.prepareAttempt(executionId);
  if (prepared?.execution.status !== 'queued') return null;
  const { repositoryId, handler: name } = prepared.execution;
  const handler = handlers[name];
  if (!handler) {
    logger.warn(
      { execution_id: executionId, handler: name },
      'unknown handler; a pod of another version must run it',
    );
    return null;
  }
  if (!prepared.isRepositoryDeleted || handler.acceptsDeleted)
    return { handler, repositoryId, fence: prepared.fence };
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
  // Counters include earlier attempts.
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
    // The abort is the reason; errors of the aborted calls are consequences.
    const error = toRepotideError(signal.aborted ? signal.reason : thrown);
    hasLostLease = error.code === 'lease_lost' || error.kind === 'fence_lost';
    if (hasLostLease) await flagSuspect(ports, repository.id, logger);
    const fromCommit = repository.lastSyncedCommit;
    ended = await record({ error, counters, fromCommit, attempt, now: ports.clock.now() });
    // After a freeze of the process, a request may time out before the lost lease is noticed.
    if (ended === null && !hasLostLease) await flagSuspect(ports, repository.id, logger);
    hasLostLease ||= ended === null;
  } finally {
    watch.stop();
    for (const observer of ports.observers) observer.end(identity.executionId, ended, hasLostLease);
  }
  return ended;
}

/** Writes in flight when the lease was lost may still reach the store, so the next run must check every point. */
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

/** The abort reason of runs when their process stops. */
export function shutdownReason(): RepotideError {
  return new RepotideError('cancelled', 'shutdown', 'This pod is stopping; another pod continues the run.');
}
