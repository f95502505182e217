import { throwIfAborted, type GenerationStore, type Logger, type VectorStore } from '@core/domain';
import { type Strays } from '../run/drift.js';

interface StrayPorts {
  generations: Pick<GenerationStore, 'listOwners'>;
  vectorStore: Pick<VectorStore, 'otherRepositories' | 'count' | 'deleteRepository'>;
  logger: Logger;
}

/**
 * Removes the points of repositories that Postgres does not know, or that are deleted and purged. They are left after an
 * older backup of Postgres, or an older snapshot of the store, was restored. The collection belongs to one generation of
 * this database alone: its name holds the generation's random id.
 */
export async function sweepStrays(
  index: { collectionName: string; physicalName: string },
  { generations, vectorStore, logger }: StrayPorts,
  signal: AbortSignal,
): Promise<Strays> {
  const { collectionName, physicalName: collection } = index;
  const strays: Strays = { repositories: 0, points: 0 };
  const known = await generations.listOwners(collectionName);
  const others = await vectorStore.otherRepositories(collection, known, signal);
  if (others.length === 0) return strays;
  // A repository may have been registered after the first query. It has no points before it has a row.
  const owners = new Set(await generations.listOwners(collectionName));
  for (const repository_id of others.filter((id) => !owners.has(id))) {
    throwIfAborted(signal);
    const points = await vectorStore.count(collection, repository_id, signal);
    if (points === 0) continue;
    logger.warn(
      { collection, repository_id, points },
      'removing points of a repository that Postgres does not know',
    );
    await vectorStore.deleteRepository(collection, repository_id, signal);
    strays.repositories += 1;
    strays.points += points;
  }
  return strays;
}

/**
 * The collections that this installation made and Postgres does not know, as after an older backup was restored. A
 * collection is made after its row, so rows that are read later name every collection in use.
 */
export async function findLeftovers(
  { generations, vectorStore }: LeftoverPorts,
  signal: AbortSignal,
): Promise<string[]> {
  const physicalNames = async () => (await generations.list()).map(({ physicalName }) => physicalName);
  const found = await vectorStore.leftovers(await physicalNames(), signal);
  if (found.length === 0) return [];
  const known = new Set(await physicalNames());
  return found.filter((name) => !known.has(name));
}

interface LeftoverPorts {
  generations: Pick<GenerationStore, 'list'>;
  vectorStore: Pick<VectorStore, 'leftovers'>;
}

/** Removes them with their points and aliases. @returns how many. */
export async function dropLeftovers(
  {
    logger,
    ...ports
  }: LeftoverPorts & {
    vectorStore: Pick<VectorStore, 'dropCollection'>;
    logger: Logger;
  },
  signal: AbortSignal,
): Promise<number> {
  const names = await findLeftovers(ports, signal);
  for (const collection of names) {
    logger.warn({ collection }, 'removing a collection of this installation that Postgres does not know');
    await ports.vectorStore.dropCollection(collection, signal);
  }
  return names.length;
}
