import { Inject, Injectable } from '@nestjs/common';
import { type HistoryKeeper, type Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG, HISTORY_KEEPER, LOGGER } from '../injection-tokens.js';
import { type Chore } from './chore.js';

const RETENTION_INTERVAL_MS = 3_600_000;
/** The newest executions of each schedule, and the manual ones of each repository, stay whatever their age. */
const KEPT_EXECUTIONS = 10;

/** Adds ended runs to the stored sums, and once an hour deletes old executions. */
@Injectable()
export class MaintainHistory implements Chore {
  readonly name = 'history';
  private retainAtMs = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'history'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(HISTORY_KEEPER) private readonly keeper: HistoryKeeper,
  ) {}

  async run(): Promise<void> {
    await this.keeper.fold();
    if (performance.now() < this.retainAtMs) return;
    const { retentionDays: days } = this.config.history;
    const deleted = await this.keeper.deleteOld({ days, minRows: KEPT_EXECUTIONS });
    // One call deletes a bounded number of rows: the next round goes on, unless nothing was left to delete.
    if (deleted === 0) this.retainAtMs = performance.now() + RETENTION_INTERVAL_MS;
    else this.logger.info({ deleted, retention_days: days }, 'old executions deleted');
  }
}
