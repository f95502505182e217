import { type ModelRegistry, type SeenModel } from '@core/domain';

/** A registry of embedding models in memory. */
export function memoryRegistry(): ModelRegistry {
  let models: SeenModel[] = [];
  return {
    list: (name) => Promise.resolve(models.filter((model) => model.name === name)),
    add: (model) => {
      if (models.some(({ id }) => id === model.id)) return Promise.resolve(false);
      models.unshift(model);
      return Promise.resolve(true);
    },
    update: (id, changes) => {
      const found = models.filter((model) => model.id === id).map((model) => ({ ...model, ...changes }));
      models = [...found, ...models.filter((model) => model.id !== id)];
      return Promise.resolve();
    },
  };
}
