import { cosineOf, type ModelRegistry, type SeenModel } from '@core/domain';

/** Words of several languages and kinds, so that models and tokenizers differ on it. Its change rebuilds every index. */
export const CANARY =
  'The lease of pod-7 expired after 45.5 s; fn renew(ttl: u64) -> Result<Fence, LeaseLost> was called twice. ' +
  'Größe, зебра, 検索, 🦓 {"total": 12, "path": "src/a_b/C.ts"}';

/**
 * A server's graphics card rounds differently from run to run, which changes a vector by far less. Other weights change
 * it by far more.
 */
const SAME_MODEL = 0.999;

export type Sighting = Pick<SeenModel, 'name' | 'dimensions' | 'server' | 'canary'>;

/**
 * Recognises the model that gave the canary's vector. An unknown one is registered: the first under its id, a further
 * one under the same name as `<id>#2`, and so on.
 */
export async function identifyModel(
  registry: ModelRegistry,
  id: string,
  sighting: Sighting,
): Promise<SeenModel> {
  for (;;) {
    const seen = await registry.list(sighting.name);
    const known = seen.find(({ canary }) => cosineOf(canary, sighting.canary) >= SAME_MODEL);
    if (known !== undefined) {
      await registry.update(known.id, { server: sighting.server });
      return known;
    }
    const namesakes = seen.filter((model) => model.id.replace(/#\d+$/, '') === id).length;
    const model = { ...sighting, id: namesakes === 0 ? id : `${id}#${namesakes + 1}`, limits: {} };
    if (await registry.add(model)) return model;
  }
}
