import { throwIfAborted, toRepotideError, type RunHandler } from '@core/domain';
import { syncRepository } from '../sync-repository.js';
import { type HandlerPorts } from './handler-ports.js';
import { openToWrite, type OpenIndex } from './open-index.js';
import { limitsOf } from './run-limits.js';
import { prepareSync } from './sync-request.js';

/** Makes the index equal the branch's head: opens the repository's source and lets the conductor work. */
export function repositorySyncHandler(ports: HandlerPorts): RunHandler {
  return {
    name: 'repository_sync',
    takesDeleted: false,
    run: async (active) => {
      const { repository, signal, execution } = active;
      const stored = await ports.budgets.budgetOf(execution.id);
      const budget = limitsOf(stored, execution);
      const index = await openToWrite(ports, repository);
      await publishNew(ports, index, signal);
      const sync = await prepareSync(active, index, ports);
      const outcome = await syncRepository({ ...sync.request, budget }, sync.ports);
      await switchWhenComplete(ports, index, signal);
      return outcome;
    },
  };
}

type Index = Pick<OpenIndex, 'generation' | 'repository'>;

/** Before a first sync: a collection in the way of the alias is to be known before anything is embedded. */
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

/** The run has ended well by now: what goes wrong here is done again by the chore, and is no failure of the run. */
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
    const { code: error_code, message: error } = toRepotideError(thrown);
    logger.warn(
      { collection, generation_id: id, error_code, error },
      'switch to the rebuilt index is left over',
    );
  }
}
