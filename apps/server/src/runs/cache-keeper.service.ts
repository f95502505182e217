import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { type EmbeddingCacheKeeper, type LeaderElection, type Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { Metrics } from '../metrics/metrics.js';
import { attemptChore, Rounds } from '../chores.js';
import { CONFIG, EMBEDDING_CACHE_KEEPER, LEADER_ELECTION, LOGGER } from '../injection-tokens.js';

/** What is added in between exceeds the bound: at a hundred texts a second some 6,000 of 200,000. */
const INTERVAL_MS = 60_000;

/** Keeps the embedding cache within its bound and tells its size: one pod for all. */
@Injectable()
export class CacheKeeperService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly rounds = new Rounds(() => this.work());

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(EMBEDDING_CACHE_KEEPER) private readonly keeper: EmbeddingCacheKeeper,
    @Inject(LEADER_ELECTION) private readonly election: LeaderElection,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.roles.length === 0) return;
    this.rounds.start(INTERVAL_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** One turn, where this pod leads; resolves when it is over, however it ended. */
  round(): Promise<void> {
    return this.rounds.round();
  }

  private async work(): Promise<void> {
    if (!this.election.isLeader()) {
      // A former leader's last numbers would be taken for today's.
      this.metrics.embeddingCacheEntries.set(0);
      this.metrics.embeddingCacheBytes.set(0);
      return;
    }
    await attemptChore(this.logger, { chore: 'embedding_cache' }, async () => {
      const { evicted, entries, bytes } = await this.keeper.evict();
      this.metrics.embeddingCacheEvictions.inc(evicted);
      this.metrics.embeddingCacheEntries.set(entries);
      this.metrics.embeddingCacheBytes.set(bytes);
    });
  }
}
