import {
  RepotideError,
  RUN_HANDLERS,
  countersOf,
  errorFields,
  toRepotideError,
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
  type RunObserver,
  type StartedRun,
  type Taken,
  type TakeRequest,
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

interface RunnerSettings {
  podName: string;
  heartbeatMs: number;
  maxRunMs: number;
}

/** A run that this process has taken: its execution is running, its lease is held. */
export interface TakenRun {
  kind: 'taken';
  execution: Execution;
  /** The code host that it reads. */
  baseUrl: string;
  /** Works and records the outcome. @returns the final row; null when another attempt owns it. Call it once. */
  finish: () => Promise<Execution | null>;
}

export type WantedRun = Omit<TakeRequest, 'podName' | 'handlers'>;

/**
 * Takes a queued execution: fence, lease and queued -> running in one transaction. Safe to call from any pod at any time:
 * one caller gets past the row's lock and the lease.
 * @param shutdown fires when this process stops: another pod continues the run.
 * @returns null when nothing can be taken; `refused` when another holder has the lease.
 * @throws while Postgres or the store of the leases is down; then nothing was started.
 */
export async function takeRun(
  wanted: WantedRun,
  handlers: RunHandlers,
  ports: RunnerPorts,
  settings: RunnerSettings,
  shutdown: AbortSignal,
): Promise<TakenRun | { kind: 'refused'; executionId: string } | null> {
  if (shutdown.aborted) return null;
  let lease: Lease | null = null;
  // An execution of an unknown handler waits for a pod of another version.
  const names = RUN_HANDLERS.filter((name) => handlers[name] !== undefined);
  let taken: Taken | null = null;
  try {
    taken = await ports.executions.take(
      { ...wanted, podName: settings.podName, handlers: names },
      async ({ handler, ...run }) => {
        // A transaction that is repeated calls this again.
        await lease?.release();
        if (handlers[handler].isReadOnly) lease = NO_LEASE;
        else
          lease = await (wanted.executionId ? ports.leases.acquire(run) : inTime(ports.leases.acquire(run)));
        return lease !== null;
      },
    );
  } finally {
    if (taken?.kind !== 'started') await (lease as Lease | null)?.release();
  }
  if (taken?.kind !== 'started') return taken;
  const { run, baseUrl, maxRunSeconds } = taken;
  const limited = maxRunSeconds === null ? settings : { ...settings, maxRunMs: maxRunSeconds * 1000 };
  const handler = handlers[run.execution.handler];
  const finish = () => finishRun(taken, { lease: lease!, handler, ports, settings: limited, shutdown });
  return { kind: 'taken', execution: run.execution, baseUrl, finish };
}

/**
 * The chosen row is locked until the lease is there, and no other pod can take it. So a pod that is cut off from the leases
 * gives it back soon. It takes a millisecond otherwise.
 */
const LEASE_PATIENCE_MS = 1_000;

async function inTime(acquiring: Promise<Lease | null>): Promise<Lease | null> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const message = `No lease could be taken within ${LEASE_PATIENCE_MS} ms: their store does not answer.`;
    const error = new RepotideError('temporary', 'lease_unavailable', message);
    timer = setTimeout(() => reject(error), LEASE_PATIENCE_MS);
  });
  try {
    return await Promise.race([acquiring, tooLate]);
  } catch (thrown) {
    void acquiring.then(
      (late) => late?.release(),
      () => undefined,
    );
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** A read-only handler needs no lease: it may run beside other runs. */
const NO_LEASE: Lease = { signal: new AbortController().signal, release: async () => undefined };

interface RunMeans {
  lease: Lease;
  handler: RunHandler;
  ports: RunnerPorts;
  settings: RunnerSettings;
  shutdown: AbortSignal;
}

async function finishRun(
  { run, isRepositoryDeleted }: Extract<Taken, { kind: 'started' }>,
  means: RunMeans,
): Promise<Execution | null> {
  const { lease, handler, ports } = means;
  try {
    if (isRepositoryDeleted && !handler.acceptsDeleted) return await recordFailure(run, DELETED, ports);
    // Read after the start: an earlier run may just have moved the pointer or left the index dirty.
    const repository = await ports.repositories.findIncludingDeleted(run.repositoryId).catch(toRepotideError);
    if (repository instanceof RepotideError) return await recordFailure(run, repository, ports);
    return await ports.tracer.root('execution', factsOf(run.execution, run.fence), async (note) => {
      const ended = await workAndRecord(run, repository!, means);
      note(outcomeOf(ended));
      return ended;
    });
  } finally {
    await lease.release();
  }
}

const DELETED_MESSAGE = 'The repository was deleted before the run started.';
const DELETED = new RepotideError('cancelled', 'repository_deleted', DELETED_MESSAGE);

/** For a run that did no work. */
function recordFailure(
  run: StartedRun,
  error: RepotideError,
  { executions, clock, logger }: RunnerPorts,
): Promise<Execution | null> {
  const failures = run.execution.failures + 1;
  const end = { error, counters: countersOf(run.execution), fromCommit: null, failures, now: clock.now() };
  return recordEnd(executions, run, end, logger);
}

async function workAndRecord(
  started: StartedRun,
  repository: Repository,
  { lease, handler, ports, settings, shutdown }: RunMeans,
): Promise<Execution | null> {
  const { execution, ...identity } = started;
  const { attempt, trigger } = execution;
  const failures = execution.failures + 1;
  const logger = ports.logger.child({ repository_id: repository.id, attempt, fence: identity.fence });
  // Counters include earlier attempts.
  const counters = countersOf(execution);
  const watch = watchRun(identity, counters, [lease.signal, shutdown], ports, settings, logger);
  logger.info({ trigger, handler: handler.name, project_path: repository.projectPath }, 'run started');
  for (const observer of ports.observers) observer.begin(execution, repository);
  const record = (end: RunEnd) =>
    ports.tracer.span('record', {}, () => recordEnd(ports.executions, identity, end, logger));
  const { signal } = watch;
  let ended: Execution | null = null;
  let hasLostLease = false;
  try {
    const outcome = await handler.run({ identity, execution, repository, signal, counters });
    ended = await record({ outcome });
    hasLostLease = ended === null;
  } catch (thrown) {
    // The abort is the reason; errors of the aborted calls are consequences.
    const error = toRepotideError(signal.aborted ? signal.reason : thrown);
    hasLostLease = error.code === 'lease_lost' || error.kind === 'fence_lost';
    if (hasLostLease) await flagSuspect(ports, repository.id, logger);
    const fromCommit = repository.lastSyncedCommit;
    ended = await record({ error, counters, fromCommit, failures, now: ports.clock.now() });
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
    const { error_code } = errorFields(thrown);
    logger.error({ repository_id: repositoryId, error_code }, 'could not flag the index for a check');
  }
}

/** The abort reason of runs when their process stops. */
export function shutdownReason(): RepotideError {
  return new RepotideError('cancelled', 'shutdown', 'This pod is stopping; another pod continues the run.');
}
