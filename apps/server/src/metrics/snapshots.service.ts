import { Injectable } from '@nestjs/common';
import {
  CIRCUIT_STATES,
  type RepotideError,
  toRepotideError,
  Clock,
  ExecutionStore,
  GenerationStore,
  LeaderElection,
  Logger,
  ProgressStore,
  type Repository,
  RepositoryStore,
  VectorStore,
} from '@core/domain';
import { Metrics } from './metrics.js';

/** Values are cached this long, because queries to external systems are expensive and several scrapers may exist. */
const KEPT_MS = 15_000;
/** Limits the number of repositories as label values. */
const MAX_REPOSITORIES = 500;
const TIMEOUT_MS = 5_000;
/** While a source fails, at most one warning a minute is logged, however often the metrics are scraped. */
const WARNING_INTERVAL_MS = 60_000;

/** Refreshes, on a scrape, the gauges that need queries, at most every 15 s. */
@Injectable()
export class SnapshotsService {
  private refreshedAtMs = -Infinity;
  private current: Promise<void> | null = null;
  private shownCollections = new Set<string>();
  /** Sources whose last query failed. */
  private readonly troubles = new Map<string, { warnedAtMs: number }>();

  constructor(
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly executions: ExecutionStore,
    private readonly election: LeaderElection,
    private readonly repositories: RepositoryStore,
    private readonly generations: GenerationStore,
    private readonly vectorStore: VectorStore,
    private readonly store: ProgressStore,
  ) {}

  /** Never throws: if a source fails, its gauges keep their last value. */
  async refresh(): Promise<void> {
    this.metrics.isLeader.set(this.election.isLeader() ? 1 : 0);
    this.showBreaker();
    if (this.clock.monotonicMs() - this.refreshedAtMs < KEPT_MS) return;
    this.current ??= this.askAll().finally(() => (this.current = null));
    await this.current;
  }

  private showBreaker(): void {
    const current = this.store.state();
    for (const state of CIRCUIT_STATES)
      this.metrics.progressBreaker.set({ state }, state === current ? 1 : 0);
  }

  private async askAll(): Promise<void> {
    this.refreshedAtMs = this.clock.monotonicMs();
    await Promise.all([
      this.attempt('queue', async () => this.metrics.queueDepth.set(await this.executions.countQueued())),
      this.attempt('repositories', () => this.askRepositories()),
      this.attempt('lost', async () =>
        this.metrics.lostRepositories.set(await this.repositories.countLost()),
      ),
    ]);
  }

  private async askRepositories(): Promise<void> {
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

  /** Removes the series of other collections, which would otherwise keep their last value forever. */
  private forgetAllBut(collections: Set<string>): void {
    const gone = [...this.shownCollections].filter((collection) => !collections.has(collection));
    for (const collection of gone) this.metrics.points.remove({ collection });
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

  private async attempt(source: string, ask: () => Promise<unknown>): Promise<void> {
    try {
      await ask();
      this.troubles.delete(source);
    } catch (thrown) {
      this.tell(source, toRepotideError(thrown));
    }
  }

  /** A temporary error causes a warning only at its second occurrence in a row. */
  private tell(source: string, { kind, code, message }: RepotideError): void {
    const fields = { source, error_code: code, error: message };
    const trouble = this.troubles.get(source);
    const nowMs = this.clock.monotonicMs();
    const isQuiet =
      trouble === undefined ? kind === 'temporary' : nowMs - trouble.warnedAtMs < WARNING_INTERVAL_MS;
    this.troubles.set(source, { warnedAtMs: isQuiet ? (trouble?.warnedAtMs ?? -Infinity) : nowMs });
    if (isQuiet) this.logger.debug(fields, 'gauge not refreshed');
    else this.logger.warn(fields, 'gauge not refreshed; it shows its former value');
  }
}
