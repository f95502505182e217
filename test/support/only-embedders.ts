import { type Embedder, type Embedders } from '@core/domain';

/** A process that reaches no embedder but these; the first is the configured one. */
export function onlyEmbedders(configured: Embedder, ...others: Embedder[]): Embedders {
  return {
    configured,
    server: null,
    find: ({ modelId }) => [configured, ...others].find(({ model }) => model.id === modelId) ?? null,
  };
}
