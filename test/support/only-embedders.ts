import { type Embedder, type Embedders } from '@core/domain';

/** A registry with only these embedders; the first is the configured one. */
export function onlyEmbedders(configured: Embedder, ...others: Embedder[]): Embedders {
  return {
    configured,
    server: null,
    find: ({ modelId }) => [configured, ...others].find(({ model }) => model.id === modelId) ?? null,
  };
}
