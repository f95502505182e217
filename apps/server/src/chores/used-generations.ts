import { type GenerationStore, type IndexGeneration } from '@core/domain';

export type UsedGeneration = IndexGeneration & { incarnation: string };

/**
 * Does work for each generation that a run has stored points in, one after the other. One that fails, for example because
 * the key has no permission for its collection, stops no other.
 * @throws the first failure, after all of them.
 */
export async function forEachUsedGeneration(
  generations: GenerationStore,
  work: (generation: UsedGeneration) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const generation of await generations.list()) {
    // Without an incarnation no run has used the collection, or it is known to be lost.
    const { incarnation, status } = generation;
    if (incarnation === null || status === 'retired') continue;
    await work({ ...generation, incarnation }).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
