import {
  RepotideError,
  type Embedders,
  type GenerationChoice,
  type GenerationModel,
  type IndexGeneration,
} from '@core/domain';

/**
 * Chooses the generation of the configured model. When another model is active, a new generation is built beside it.
 *
 * A model that was active earlier is not rebuilt automatically: during a rolling restart the pods of the old model
 * would undo the switch of the new ones, and after a rollback the reverse. Such a pod updates the active generation if
 * it can use that model.
 * @param isMadeBeforehand the store has a collection of the same name that fits: the first generation uses it.
 * @throws temporary `embedding_model_unavailable`.
 */
export function chooseGeneration(
  generations: readonly IndexGeneration[],
  embedders: Embedders,
  isMadeBeforehand = false,
): GenerationChoice {
  const model = configuredModel(embedders);
  const active = generations.find(({ status }) => status === 'active');
  if (!active) return { kind: 'make', model, status: 'active', isMadeBeforehand };
  if (isOf(active, model)) {
    return { kind: isMadeBeforehand && isUnused(active) ? 'adopt' : 'use', generation: active };
  }
  const building = generations.find(({ status }) => status === 'building');
  if (building && isOf(building, model)) return { kind: 'use', generation: building };
  const wasActive = generations.some((generation) => isOf(generation, model));
  if (!building && !wasActive) return { kind: 'make', model, status: 'building' };
  if (embedders.find(active)) return { kind: 'use', generation: active };
  throw unavailable(active, model, building);
}

/** Nothing in the store, as far as is known: a collection of the same name may take its place. */
export function isUnused({ incarnation, physicalName, collectionName }: IndexGeneration): boolean {
  return incarnation === null && physicalName !== collectionName;
}

/** For a requested rebuild with the configured model: also rebuilds a retired one and drops another unfinished build. */
export function chooseRebuild(
  generations: readonly IndexGeneration[],
  embedders: Embedders,
): GenerationChoice {
  const model = configuredModel(embedders);
  const isLive = ({ status }: IndexGeneration): boolean => status === 'active' || status === 'building';
  const live = generations.find((generation) => isLive(generation) && isOf(generation, model));
  if (live) return { kind: 'use', generation: live };
  if (generations.length === 0) return { kind: 'make', model, status: 'active' };
  return { kind: 'rebuild', model };
}

function configuredModel({ configured, server }: Embedders): GenerationModel {
  const { id, dimensions } = configured.model;
  return { modelId: id, dimensions, modelServer: server };
}

function isOf(generation: IndexGeneration, { modelId, dimensions }: GenerationModel): boolean {
  return generation.modelId === modelId && generation.dimensions === dimensions;
}

function unavailable(
  { collectionName, modelId }: IndexGeneration,
  configured: GenerationModel,
  building: IndexGeneration | undefined,
): RepotideError {
  const rebuild = building ? `, is being rebuilt with ${building.modelId}` : '';
  return new RepotideError(
    'temporary',
    'embedding_model_unavailable',
    `The index of collection "${collectionName}" has vectors of the model ${modelId}${rebuild}, and this process is ` +
      `configured for ${configured.modelId}. Set EMBEDDING_PREVIOUS_URL to reach ` +
      `${modelId}, or POST /api/v1/collections/${collectionName}/reindex to build it with ${configured.modelId}.`,
    { details: { collection: collectionName, active_model: modelId, configured_model: configured.modelId } },
  );
}
