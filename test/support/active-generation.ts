import { type GenerationStore, type IndexGeneration } from '@core/domain';

/** Returns the active generation of a collection; creates it when there is none, as the first run of the collection does. */
export function activeGeneration(
  generations: GenerationStore,
  collectionName: string,
  model = { modelId: 'lexical-v1@384', dimensions: 384, modelServer: null },
): Promise<IndexGeneration> {
  return generations.open(collectionName, (found) => {
    const generation = found.find(({ status }) => status === 'active');
    return generation ? { kind: 'use', generation } : { kind: 'make', model, status: 'active' };
  });
}
