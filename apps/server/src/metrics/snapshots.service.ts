import { Injectable } from '@nestjs/common';
import {
  BOARD_STATES,
  type RepotideError,
  toRepotideError,
  Clock,
  Dispatcher,
  GenerationStore,
  LeaderElection,
  Logger,
  ProgressBoard,
  type Repository,
  RepositoryStore,
  VectorStore,
} from '@core/domain';
import { Metrics } from './metrics.js';

/** Asking outside systems costs; scrapes may come from several places. */
const KEPT_MS = 15_000;
/** Bound of the one open label set. */
const MAX_REPOSITORIES = 500;
const TIMEOUT_MS = 5_000;
/** Scrapes go on while a source is silent; one line a minute says it. */
const WARNING_INTERVAL_MS = 60_000;

/** Fills the gauges that are asked for when somebody scrapes, at most every few seconds. */
@Injectable()
export class SnapshotsService {
  private refreshedAtMs = -Infinity;
  private current: Promise<void> | null = null;
  private shownCollections = new Set<string>();
  /** Sources that did not answer when last asked. */
  private readonly troubles = new Map<string, { warnedAtMs: number }>();

  constructor(
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly dispatcher: Dispatcher,
    private readonly election: LeaderElection,
    private readonly repositories: RepositoryStore,
    private readonly generations: GenerationStore,
    private readonly vectorStore: VectorStore,
    private readonly board: ProgressBoard,
  ) {}

  /** Never throws: a gauge whose source does not answer keeps its former value. */
  async refresh(): Promise<void> {
    this.metrics.isLeader.set(this.election.isLeader() ? 1 : 0);
    this.showBreaker();
    if (this.clock.monotonicMs() - this.refreshedAtMs < KEPT_MS) return;
    this.current ??= this.askAll().finally(() => (this.current = null));
    await this.current;
  }

  private showBreaker(): void {
    const current = this.board.state();
    for (const state of BOARD_STATES) this.metrics.progressBreaker.set({ state }, state === current ? 1 : 0);
  }

  private async askAll(): Promise<void> {
    this.refreshedAtMs = this.clock.monotonicMs();
    await Promise.all([
      this.attempt('queue', async () => this.metrics.queueDepth.set(await this.dispatcher.depth())),
      this.attempt('repositories', () => this.askRepositories()),
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

  /** A collection that nobody writes any more has no series: its last value would stand for ever. */
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

  /** Trouble that may pass by itself is worth a warning when it is there the second time. */
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
