import {
  errorFields,
  throwIfAborted,
  type ActiveRun,
  type DryRunReport,
  type RunOutcome,
} from '@core/domain';
import { dryRun } from '../check/dry-run.js';
import { limitsOf } from '../run/run-budget.js';
import { syncRepository } from '../sync-repository.js';
import {
  openToPlan,
  openToWrite,
  withSource,
  type HandlerPorts,
  type OpenIndex,
  type PlannedRun,
} from './open-run.js';

/** Makes the index equal to the branch's head. */
export async function sync(active: ActiveRun, ports: HandlerPorts): Promise<RunOutcome> {
  const { repository, signal, execution } = active;
  const readLimits = async () => limitsOf(await ports.budgets.budgetOf(execution.id), execution);
  const index = await openToWrite(ports, repository, signal);
  await publishNew(ports, index, signal);
  const outcome = await withSource(active, index, ports, false, (request, indexing) =>
    syncRepository({ ...request, readLimits }, indexing),
  );
  await switchWhenComplete(ports, index, signal);
  return outcome;
}

type Index = Pick<OpenIndex, 'generation' | 'repository'>;

/** Creates the alias before a first sync, to detect a conflicting collection before anything is embedded. */
async function publishNew(
  { vectorStore }: HandlerPorts,
  { generation, repository }: Index,
  signal: AbortSignal,
): Promise<void> {
  if (generation.status !== 'active' || repository.lastSyncedCommit !== null) return;
  const { physicalName: name, modelId, dimensions, collectionName } = generation;
  await vectorStore.ensureCollection({ name, modelId, dimensions }, signal);
  await vectorStore.pointAlias(collectionName, name, signal);
}

/** A failure here does not fail the run, because the upkeep chore repeats the switch. */
async function switchWhenComplete(
  { generations, vectorStore, logger }: HandlerPorts,
  { generation }: Index,
  signal: AbortSignal,
): Promise<void> {
  if (generation.status !== 'building') return;
  const { id, collectionName: collection, physicalName, modelId: model } = generation;
  try {
    throwIfAborted(signal);
    if (!(await generations.activateIfComplete(id))) return;
    logger.info({ collection, generation_id: id, model }, 'searches use the rebuilt index');
    await vectorStore.pointAlias(collection, physicalName, signal);
  } catch (thrown) {
    const fields = { collection, generation_id: id, ...errorFields(thrown) };
    logger.warn(fields, 'could not switch to the rebuilt index; trying again later');
  }
}

/** Reports what a sync would do. It only reads, so it may run beside a sync of the same repository. */
export async function reportSync(active: ActiveRun, ports: HandlerPorts): Promise<RunOutcome> {
  const report = await planRun(active, ports);
  const commits = { fromCommit: report.from_commit, toCommit: report.to_commit };
  const { counters } = active;
  return { status: 'completed', ...commits, counters, report, errorCode: null, errorMessage: null };
}

export async function planRun(active: PlannedRun, ports: HandlerPorts): Promise<DryRunReport> {
  const index = await openToPlan(ports, active.repository);
  return withSource(active, index, ports, true, dryRun);
}
