import { RepotideError, type Embedder, type Embedders, type IndexGeneration } from '@core/domain';

/** A generation that this process can search, with the embedder of its model. */
export interface Readable {
  generation: IndexGeneration;
  embedder: Embedder;
}

/**
 * The active generation of each collection. A pod that cannot reach its model, e.g. one with the former configuration
 * during a rolling update, uses the generation that was active before, which is complete but older.
 * @throws temporary `embedding_model_unavailable`.
 */
export function chooseReadable(generations: readonly IndexGeneration[], embedders: Embedders): Readable[] {
  const collections = [...new Set(generations.map(({ collectionName }) => collectionName))];
  return collections.map((name) =>
    choose(
      generations.filter(({ collectionName }) => collectionName === name),
      embedders,
    ),
  );
}

function choose(generations: readonly IndexGeneration[], embedders: Embedders): Readable {
  const retired = generations
    .filter(({ status }) => status === 'retired')
    .sort((left, right) => Number(right.retiredAt) - Number(left.retiredAt));
  const active = generations.filter(({ status }) => status === 'active');
  for (const generation of [...active, ...retired]) {
    const embedder = embedders.find(generation);
    if (embedder) return { generation, embedder };
  }
  throw unreachable(active[0]);
}

/** @throws temporary `embedding_model_unavailable`. */
export function readableOf(generation: IndexGeneration, embedders: Embedders): Readable {
  const embedder = embedders.find(generation);
  if (!embedder) throw unreachable(generation);
  return { generation, embedder };
}

function unreachable(generation: IndexGeneration | undefined): RepotideError {
  const message =
    `The index of collection "${generation?.collectionName}" was built with the model ${generation?.modelId}, which ` +
    'this process cannot reach. Set EMBEDDING_PREVIOUS_URL until it is rebuilt.';
  return new RepotideError('temporary', 'embedding_model_unavailable', message, {
    details: { collection: generation?.collectionName, active_model: generation?.modelId },
  });
}
