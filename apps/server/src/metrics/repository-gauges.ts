import { Inject, Injectable } from '@nestjs/common';
import { Clock, GenerationStore, type Repository, RepositoryStore, VectorStore } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from './metrics.js';

/** Limits the number of repositories as label values. */
const MAX_REPOSITORIES = 500;
const TIMEOUT_MS = 5_000;

/** The gauges about repositories and their collections. */
@Injectable()
export class RepositoryGauges {
  private shownCollections = new Set<string>();

  constructor(
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly repositories: RepositoryStore,
    private readonly generations: GenerationStore,
    private readonly vectorStore: VectorStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'verification'>,
  ) {}

  async refresh(): Promise<void> {
    const items = await this.repositories.listStalest(MAX_REPOSITORIES);
    this.showAges(items);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const names = [...new Set(items.map((repository) => repository.collectionName))];
    const active = (await this.generations.list(names)).filter(({ status }) => status === 'active');
    this.forgetAllBut(new Set(active.map(({ collectionName }) => collectionName)));
    for (const { collectionName: collection, physicalName } of active) {
      this.metrics.points.set({ collection }, await this.vectorStore.count(physicalName, null, signal));
    }
  }

  async countLost(): Promise<void> {
    this.metrics.lostRepositories.set(await this.repositories.countLost());
  }

  async showVerification(): Promise<void> {
    const { intervalDays } = this.config.verification;
    const seconds = intervalDays === 0 ? Infinity : intervalDays * 86_400;
    const { drifted, overdue, oldestAgeSeconds } = await this.repositories.verificationState(seconds);
    this.metrics.driftedRepositories.set(drifted);
    this.metrics.overdueRepositories.set(overdue);
    this.metrics.oldestVerification.set(oldestAgeSeconds);
  }

  /** Removes the series of other collections, which would otherwise keep their last value forever. */
  private forgetAllBut(collections: Set<string>): void {
    const removed = [...this.shownCollections].filter((collection) => !collections.has(collection));
    for (const collection of removed) this.metrics.points.remove({ collection });
    this.shownCollections = collections;
  }

  private showAges(repositories: readonly Repository[]): void {
    const nowMs = this.clock.now().getTime();
    this.metrics.repositoryAge.reset();
    for (const { id, projectPath, branch, lastSyncAt, createdAt } of repositories) {
      const seconds = (nowMs - (lastSyncAt ?? createdAt).getTime()) / 1000;
      this.metrics.repositoryAge.set(
        { repository_id: id, project_path: projectPath, branch },
        Math.max(0, seconds),
      );
    }
  }
}
