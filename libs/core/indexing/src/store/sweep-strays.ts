import { throwIfAborted, type GenerationStore, type Logger, type VectorStore } from '@core/domain';
import { type Drift } from '../run/drift.js';
import { type SyncRun } from '../run/sync-run.js';
import { recordDrift } from './find-drift.js';

interface StrayPorts {
  generations: Pick<GenerationStore, 'list' | 'listOwners'>;
  vectorStore: Pick<
    VectorStore,
    'otherRepositories' | 'count' | 'deleteRepository' | 'leftovers' | 'dropCollection'
  >;
  logger: Logger;
}

/** A repository that Postgres does not know, or that is deleted and purged, with points in the store. */
interface Stray {
  repositoryId: string;
  points: number;
}

interface IndexName {
  collectionName: string;
  physicalName: string;
}

/**
 * Removes the points of repositories that Postgres does not know, or that are deleted and purged. They remain after an
 * older backup of Postgres, or an older snapshot of the store, was restored. The collection belongs to one generation of
 * this database alone: its name holds the generation's random id.
 */
export async function sweepStrays(index: IndexName, ports: StrayPorts, signal: AbortSignal): Promise<void> {
  await removeStrays(index, await findStrays(index, ports, signal), ports, signal);
}

/**
 * Removes points and collections that Postgres does not know. The run records what it found before it removes anything:
 * an attempt after a crash finds only the rest.
 */
export async function sweepUnknown(run: SyncRun, drift: Drift): Promise<void> {
  const { ports, repository, collection: physicalName, signal } = run;
  const index = { collectionName: repository.collectionName, physicalName };
  const strays = await findStrays(index, ports, signal);
  const leftovers = await findLeftovers(ports, signal);
  const points = strays.reduce((sum, stray) => sum + stray.points, 0);
  drift.setStrays(strays.length, points, leftovers.length);
  await recordDrift(run, drift);
  await removeStrays(index, strays, ports, signal);
  await dropAll(leftovers, ports, signal);
}

async function findStrays(
  { collectionName, physicalName }: IndexName,
  { generations, vectorStore }: StrayPorts,
  signal: AbortSignal,
): Promise<Stray[]> {
  const known = await generations.listOwners(collectionName);
  const others = await vectorStore.otherRepositories(physicalName, known, signal);
  if (others.length === 0) return [];
  // A repository may have been registered after the first query. It has no points before it has a row.
  const owners = new Set(await generations.listOwners(collectionName));
  const strays: Stray[] = [];
  for (const repositoryId of others.filter((id) => !owners.has(id))) {
    const points = await vectorStore.count(physicalName, repositoryId, signal);
    if (points > 0) strays.push({ repositoryId, points });
  }
  return strays;
}

async function removeStrays(
  { physicalName: collection }: IndexName,
  strays: readonly Stray[],
  { vectorStore, logger }: StrayPorts,
  signal: AbortSignal,
): Promise<void> {
  for (const { repositoryId: repository_id, points } of strays) {
    throwIfAborted(signal);
    const fields = { collection, repository_id, points };
    logger.warn(fields, 'removing points of a repository that Postgres does not know');
    await vectorStore.deleteRepository(collection, repository_id, signal);
  }
}

/**
 * The collections that this installation made and Postgres does not know, as after an older backup was restored. A
 * collection is made after its row, so rows that are read later name every collection in use.
 */
export async function findLeftovers(
  { generations, vectorStore }: Omit<StrayPorts, 'logger'>,
  signal: AbortSignal,
): Promise<string[]> {
  const physicalNames = async () => (await generations.list()).map(({ physicalName }) => physicalName);
  const found = await vectorStore.leftovers(await physicalNames(), signal);
  if (found.length === 0) return [];
  const known = new Set(await physicalNames());
  return found.filter((name) => !known.has(name));
}

/** Removes them with their points and aliases. */
export async function dropLeftovers(ports: StrayPorts, signal: AbortSignal): Promise<void> {
  await dropAll(await findLeftovers(ports, signal), ports, signal);
}

async function dropAll(names: readonly string[], ports: StrayPorts, signal: AbortSignal): Promise<void> {
  for (const collection of names) {
    const message = 'removing a collection of this installation that Postgres does not know';
    ports.logger.warn({ collection }, message);
    await ports.vectorStore.dropCollection(collection, signal);
  }
}
