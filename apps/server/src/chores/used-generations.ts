import { type GenerationStore, type IndexGeneration } from '@core/domain';

export type UsedGeneration = IndexGeneration & { incarnation: string };

/** The generations that a run has stored points in. */
export async function listUsed(generations: GenerationStore): Promise<UsedGeneration[]> {
  const found = await generations.list();
  // Without an incarnation no run has used the collection, or it is known to be lost.
  return found.flatMap(({ incarnation, ...generation }) =>
    incarnation === null || generation.status === 'retired' ? [] : [{ ...generation, incarnation }],
  );
}
