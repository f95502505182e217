import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { type HistoryKeeper, type LeaderElection, type Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { attemptChore, Rounds } from '../chores.js';
import { CONFIG, HISTORY_KEEPER, LEADER_ELECTION, LOGGER } from '../injection-tokens.js';

/** Answers are exact without it; it keeps them quick. */
const FOLD_INTERVAL_MS = 15_000;
const RETENTION_INTERVAL_MS = 3_600_000;

/** Adds ended runs to the stored sums, and deletes old ones: one pod for all, beside the reaper, which must not wait. */
@Injectable()
export class HistoryChoresService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly rounds = new Rounds(() =>
    attemptChore(this.logger, { chore: 'history' }, () => this.work()),
  );
  private retainAtMs = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles' | 'history'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(HISTORY_KEEPER) private readonly keeper: HistoryKeeper,
    @Inject(LEADER_ELECTION) private readonly election: LeaderElection,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.roles.length === 0) return;
    this.rounds.start(FOLD_INTERVAL_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** One turn, where this pod leads; resolves when it is over, however it ended. */
  round(): Promise<void> {
    return this.rounds.round();
  }

  private async work(): Promise<void> {
    if (!this.election.isLeader()) return;
    await this.keeper.fold();
    if (performance.now() >= this.retainAtMs) await this.retain();
  }

  private async retain(): Promise<void> {
    const { retentionDays: days, retentionMinRows: minRows } = this.config.history;
    const deleted = await this.keeper.deleteOld({ days, minRows });
    // What one turn leaves over is worked off in the next, not an hour later.
    if (deleted === 0) this.retainAtMs = performance.now() + RETENTION_INTERVAL_MS;
    else this.logger.info({ deleted, retention_days: days }, 'old executions deleted');
  }
}
