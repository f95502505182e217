import { type EventDeliveries } from '@adapters/postgres';
import {
  type ExecutionStore,
  type GenerationStore,
  type IndexGeneration,
  type Logger,
  type Repository,
  type RepositoryStore,
  RepotideError,
  type VectorStore,
} from '@core/domain';
import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';
import { RepositoryGauges } from './repository-gauges.js';
import { SnapshotsService } from './snapshots.service.js';

/** @param points by collection, or the store's error; a test may change them. Values are never cached. */
function setUp(points: Record<string, number | RepotideError>) {
  let now = 0;
  const lines: string[] = [];
  const metrics = new Metrics();
  const repositories = {
    countLost: async () => 3,
    verificationState: async () => ({ drifted: 2, overdue: 1, oldestAgeSeconds: 500 }),
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
      const found = points[name];
      if (found instanceof RepotideError) throw found;
      return found!;
    },
  } as unknown as VectorStore;
  const clock = { now: () => new Date(now), monotonicMs: () => now };
  const service = new SnapshotsService(
    metrics,
    clock,
    {
      debug: (fields: { error_code: string }) => lines.push(`debug ${fields.error_code}`),
      warn: (fields: { error_code: string }) => lines.push(`warn ${fields.error_code}`),
    } as unknown as Logger,
    { countQueued: async () => 0 } as unknown as ExecutionStore,
    new RepositoryGauges(metrics, clock, repositories, generations, vectorStore, {
      verification: { intervalDays: 7 },
    }),
    { count: async () => ({ pending: 4, disabled: 1 }) } as unknown as EventDeliveries,
  );
  const shown = async (): Promise<Record<string, number>> => {
    now += 60_000;
    await service.refresh();
    const { values } = await metrics.points.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels.collection), value]));
  };
  /** The log lines of a scrape after some seconds. */
  const logged = async (afterSeconds: number): Promise<string[]> => {
    now += afterSeconds * 1000;
    await service.refresh();
    return lines.splice(0);
  };
  const lost = async () => (await metrics.lostRepositories.get()).values.map(({ value }) => value);
  const verification = () =>
    Promise.all(
      [metrics.driftedRepositories, metrics.overdueRepositories, metrics.oldestVerification].map(
        async (gauge) => (await gauge.get()).values[0]?.value,
      ),
    );
  return { shown, logged, lost, verification };
}

describe('points in the vector store', () => {
  it('are those of active generations, and a deleted collection has no series', async () => {
    const points: Record<string, number> = { one: 10, two: 20 };
    const { shown } = setUp(points);
    expect(await shown()).toEqual({ one: 10, two: 20 });
    delete points.one;
    expect(await shown()).toEqual({ two: 20 });
    points.one = 5;
    expect(await shown()).toEqual({ one: 5, two: 20 });
  });

  it('keep their last value while the store does not answer, and lose the series of a deleted collection', async () => {
    const points: Record<string, number | RepotideError> = { one: 10, two: 20 };
    const { shown } = setUp(points);
    await shown();
    points.two = new RepotideError('temporary', 'silent', 'The store does not answer.');
    delete points.one;
    expect(await shown()).toEqual({ two: 20 });
  });
});

describe('lost repositories', () => {
  it('are counted by the database', async () => {
    const { shown, lost } = setUp({});
    await shown();
    expect(await lost()).toEqual([3]);
  });
});

describe('verification', () => {
  it('shows drift, overdue repositories and the oldest verification', async () => {
    const { shown, verification } = setUp({});
    await shown();
    expect(await verification()).toEqual([2, 1, 500]);
  });
});

describe('a gauge that is not refreshed', () => {
  const refused = new RepotideError('unauthorized', 'refused', 'The store refuses the key.');
  const silent = new RepotideError('temporary', 'silent', 'The store does not answer.');

  it('causes a warning at once, and then once a minute', async () => {
    const { logged } = setUp({ one: refused });
    expect(await logged(60)).toEqual(['warn refused']);
    expect(await logged(20)).toEqual(['debug refused']);
    expect(await logged(20)).toEqual(['debug refused']);
    expect(await logged(20)).toEqual(['warn refused']);
  });

  it('causes a warning at the second failure if the error is temporary', async () => {
    const points: Record<string, number | RepotideError> = { one: silent };
    const { logged } = setUp(points);
    expect(await logged(60)).toEqual(['debug silent']);
    expect(await logged(20)).toEqual(['warn silent']);
    expect(await logged(20)).toEqual(['debug silent']);
    points.one = 1;
    expect(await logged(20)).toEqual([]);
    points.one = silent;
    expect(await logged(20)).toEqual(['debug silent']);
    expect(await logged(20)).toEqual(['warn silent']);
  });
});
