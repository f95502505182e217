import { describe, expect, it } from '@jest/globals';
import { type EmbeddingCacheKeeper, type LeaderElection } from '@core/domain';
import { recordingLogger } from '../../../../test/support/recording-logger.js';
import { Metrics } from '../metrics/metrics.js';
import { CacheKeeperService } from './cache-keeper.service.js';

const FOUND = { evicted: 3, entries: 40, bytes: 5_000 };

function setUp(evict: EmbeddingCacheKeeper['evict']) {
  const office = { isHeld: true };
  const election: LeaderElection = {
    isLeader: () => office.isHeld,
    leader: async () => null,
    stepDown: async () => undefined,
  };
  const metrics = new Metrics();
  const logger = recordingLogger();
  const service = new CacheKeeperService({ roles: ['worker'] }, logger, { evict }, election, metrics);
  const valueOf = async (name: string): Promise<number | undefined> => {
    const metric = metrics.registry.getSingleMetric(`repotide_embedding_cache_${name}`)!;
    return (await metric.get()).values[0]?.value;
  };
  const values = () => Promise.all(['evictions_total', 'entries', 'bytes'].map(valueOf));
  return { service, office, logger, values };
}

describe('the keeper of the embedding cache', () => {
  it('works where its pod leads, and tells no numbers of former times elsewhere', async () => {
    let rounds = 0;
    const { service, office, values } = setUp(async () => {
      rounds++;
      return FOUND;
    });
    await service.round();
    await service.round();
    expect(await values()).toEqual([6, 40, 5_000]);
    office.isHeld = false;
    await service.round();
    expect(await values()).toEqual([6, 0, 0]);
    expect(rounds).toBe(2);
  });

  it('bears a database that does not answer, says so, and comes again', async () => {
    let isDown = true;
    const { service, logger, values } = setUp(async () => {
      if (isDown) throw new Error('connection refused');
      return FOUND;
    });
    await service.round();
    expect(logger.lines).toEqual([expect.stringContaining('chore failed; it comes again')]);
    isDown = false;
    await service.round();
    expect(await values()).toEqual([3, 40, 5_000]);
  });
});
