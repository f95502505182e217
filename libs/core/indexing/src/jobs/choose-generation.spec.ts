import { describe, expect, it } from '@jest/globals';
import { type Embedder, type Embedders, type GenerationStatus, type IndexGeneration } from '@core/domain';
import { chooseGeneration, chooseRebuild } from './choose-generation.js';

const embedderOf = (id: string): Embedder => ({
  model: { id, dimensions: 8, maxInputTokens: null },
  capacity: { requests: 1, texts: 1 },
  embed: async () => [],
  identify: async () => false,
  confirm: async () => undefined,
  longestChunk: async (characters) => characters,
});

/** A process configured for the first model that can also use the others. */
function processOf(model: string, ...others: string[]): Embedders {
  const embedders = [model, ...others].map(embedderOf);
  return {
    configured: embedders[0]!,
    server: 'http://models/v1',
    find: ({ modelId }) => embedders.find((embedder) => embedder.model.id === modelId) ?? null,
  };
}

function generation(modelId: string, status: GenerationStatus): IndexGeneration {
  const at = new Date('2026-11-20T10:00:00Z');
  const name = { id: `${modelId}-${status}`, collectionName: 'code', physicalName: `code--${modelId}` };
  const model = { modelId, dimensions: 8, modelServer: null };
  return {
    ...name,
    ...model,
    status,
    incarnation: null,
    createdAt: at,
    usedAt: at,
    activatedAt: null,
    retiredAt: null,
  };
}

const modelOf = (modelId: string) => ({ modelId, dimensions: 8, modelServer: 'http://models/v1' });

describe('chooseGeneration', () => {
  it('makes a first generation, active at once', () => {
    for (const isMadeBeforehand of [false, true]) {
      expect(chooseGeneration([], processOf('a'), isMadeBeforehand)).toEqual({
        kind: 'make',
        model: modelOf('a'),
        status: 'active',
        isMadeBeforehand,
      });
    }
  });

  it('takes a collection that was made beforehand for an active generation without points', () => {
    const unused = generation('a', 'active');
    const filled = { ...unused, incarnation: 'one' };
    const choiceFor = (found: IndexGeneration) => chooseGeneration([found], processOf('a'), true);
    expect(choiceFor(unused)).toEqual({ kind: 'adopt', generation: unused });
    expect(choiceFor(filled)).toEqual({ kind: 'use', generation: filled });
    expect(choiceFor({ ...unused, physicalName: 'code' })).toMatchObject({ kind: 'use' });
  });

  it('uses the generation of the configured model, active or being built', () => {
    const found = [generation('b', 'building'), generation('a', 'active')];
    for (const [model, index] of [['a', 1] as const, ['b', 0] as const]) {
      expect(chooseGeneration(found, processOf(model))).toEqual({ kind: 'use', generation: found[index] });
    }
  });

  it('makes a new generation beside an active one of another model or vector length', () => {
    const other = generation('a', 'active');
    const shorter = { ...other, dimensions: 4 };
    const make = { kind: 'make', status: 'building' };
    expect(chooseGeneration([other], processOf('b'))).toEqual({ ...make, model: modelOf('b') });
    expect(chooseGeneration([shorter], processOf('a'))).toEqual({ ...make, model: modelOf('a') });
  });

  it('uses the active generation when the configured model was active earlier, if it can use its model', () => {
    const found = [generation('b', 'active'), generation('a', 'retired')];
    expect(chooseGeneration(found, processOf('a', 'b'))).toEqual({ kind: 'use', generation: found[0] });
    expect(() => chooseGeneration(found, processOf('a'))).toThrow(
      expect.objectContaining({ kind: 'temporary', code: 'embedding_model_unavailable' }),
    );
  });

  it('does not drop a generation that a process with a third model builds', () => {
    const found = [generation('b', 'building'), generation('a', 'active')];
    expect(chooseGeneration(found, processOf('c', 'a'))).toEqual({ kind: 'use', generation: found[1] });
    expect(() => chooseGeneration(found, processOf('c'))).toThrow(/rebuilt with b/);
  });
});

describe('chooseRebuild', () => {
  it('uses an existing generation of the configured model', () => {
    const found = [generation('b', 'building'), generation('a', 'active')];
    expect(chooseRebuild(found, processOf('a'))).toEqual({ kind: 'use', generation: found[1] });
    expect(chooseRebuild(found, processOf('b'))).toEqual({ kind: 'use', generation: found[0] });
    expect(chooseRebuild([], processOf('a'))).toMatchObject({ kind: 'make', status: 'active' });
  });

  it('replaces another unfinished build, and rebuilds a retired generation', () => {
    const found = [generation('b', 'building'), generation('a', 'active'), generation('c', 'retired')];
    expect(chooseRebuild(found, processOf('c'))).toEqual({ kind: 'rebuild', model: modelOf('c') });
  });
});
