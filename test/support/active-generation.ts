import { type GenerationStore, type IndexGeneration } from '@core/domain';

/** The active generation of a collection; made when there is none, as the first run of the collection would. */
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
