import {
  type Dispatcher,
  type GenerationStore,
  type IndexGeneration,
  type LeaderElection,
  type Logger,
  type ProgressBoard,
  type Repository,
  type RepositoryStore,
  type VectorStore,
} from '@core/domain';
import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';
import { SnapshotsService } from './snapshots.service.js';

/** Collections with their points, which a test changes; a scrape is never answered from memory. */
function setUp(points: Record<string, number>) {
  let now = 0;
  const metrics = new Metrics();
  const repositories = {
    listStalest: async () =>
      Object.keys(points).map(
        (collectionName) => ({ collectionName, createdAt: new Date(0), lastSyncAt: null }) as Repository,
      ),
  } as unknown as RepositoryStore;
  const generations = {
    list: async (names: string[]) =>
      names.flatMap((collectionName) => [
        { collectionName, physicalName: collectionName, status: 'active' } as IndexGeneration,
        { collectionName, physicalName: 'nowhere', status: 'retired' } as IndexGeneration,
      ]),
  } as unknown as GenerationStore;
  const vectorStore = {
    count: async (name: string) => {
      if (Number.isNaN(points[name])) throw new Error('the store does not answer');
      return points[name]!;
    },
  } as unknown as VectorStore;
  const service = new SnapshotsService(
    metrics,
    { now: () => new Date(now), monotonicMs: () => now },
    { debug: () => undefined } as unknown as Logger,
    { depth: async () => 0 } as unknown as Dispatcher,
    { isLeader: () => false } as unknown as LeaderElection,
    repositories,
    generations,
    vectorStore,
    { state: () => 'closed' } as unknown as ProgressBoard,
  );
  const shown = async (): Promise<Record<string, number>> => {
    now += 60_000;
    await service.refresh();
    const { values } = await metrics.points.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels.collection), value]));
  };
  return { shown };
}

describe('points in the vector store', () => {
  it('are those of active generations, and a collection that is gone has no series', async () => {
    const points: Record<string, number> = { one: 10, two: 20 };
    const { shown } = setUp(points);
    expect(await shown()).toEqual({ one: 10, two: 20 });
    delete points.one;
    expect(await shown()).toEqual({ two: 20 });
    points.one = 5;
    expect(await shown()).toEqual({ one: 5, two: 20 });
  });

  it('keep their former value while the store does not answer, and the gone one leaves nevertheless', async () => {
    const points: Record<string, number> = { one: 10, two: 20 };
    const { shown } = setUp(points);
    await shown();
    points.two = Number.NaN;
    delete points.one;
    expect(await shown()).toEqual({ two: 20 });
  });
});
