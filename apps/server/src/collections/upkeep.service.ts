import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  type GenerationStore,
  type IndexGeneration,
  type LeaderElection,
  type Logger,
  type VectorStore,
} from '@core/domain';
import { type Config } from '@platform/config';
import { attemptChore, Rounds } from '../chores.js';
import { CONFIG, GENERATION_STORE, LEADER_ELECTION, LOGGER, VECTOR_STORE } from '../injection-tokens.js';

const INTERVAL_MS = 30_000;

/**
 * What a crash left over between two steps: a rebuild that is complete and not switched to, a name in the vector store
 * that means another generation, points of a dropped one. One pod does it for all; two do no harm.
 */
@Injectable()
export class UpkeepService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly rounds = new Rounds(() => this.work());

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles' | 'reindex'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(GENERATION_STORE) private readonly generations: GenerationStore,
    @Inject(VECTOR_STORE) private readonly vectors: VectorStore,
    @Inject(LEADER_ELECTION) private readonly election: LeaderElection,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.roles.length === 0) return;
    this.rounds.start(INTERVAL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds.stop();
  }

  /** One turn, where this pod leads; resolves when it is over, however it ended. */
  round(): Promise<void> {
    return this.rounds.round();
  }

  private async work(): Promise<void> {
    if (!this.election.isLeader()) return;
    const { signal } = this.stopping;
    await this.attempt('switch', async () => {
      for (const { id } of await this.withStatus('building')) await this.generations.activateIfComplete(id);
    });
    await this.attempt('alias', async () => {
      for (const { collectionName, physicalName } of await this.withStatus('active'))
        await this.vectors.pointAlias(collectionName, physicalName, signal);
    });
    await this.attempt('drop', async () => {
      const expired = await this.generations.listExpired(this.config.reindex.keepHours);
      for (const { id, collectionName, physicalName, modelId } of expired) {
        await this.vectors.dropCollection(physicalName, signal);
        await this.generations.forget(id);
        this.logger.info(
          { collection: collectionName, generation_id: id, model: modelId },
          'former index dropped',
        );
      }
    });
  }

  private async withStatus(wanted: IndexGeneration['status']): Promise<IndexGeneration[]> {
    return (await this.generations.list()).filter(({ status }) => status === wanted);
  }

  private async attempt(step: string, work: () => Promise<void>): Promise<void> {
    if (this.stopping.signal.aborted) return;
    await attemptChore(this.logger, { chore: 'index', step }, work);
  }
}
