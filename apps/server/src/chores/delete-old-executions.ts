import { PostgresHistory } from '@adapters/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { type Chore } from './chore.js';

const INTERVAL_MS = 3_600_000;
/** The newest executions of each schedule, and the manual ones of each repository, stay whatever their age. */
const KEPT_EXECUTIONS = 10;

/** Once an hour deletes executions that are older than the retention; history keeps their sums. */
@Injectable()
export class DeleteOldExecutions implements Chore {
  readonly name = 'history';
  private dueAtMs = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'history'>,
    private readonly logger: Logger,
    private readonly history: PostgresHistory,
  ) {}

  async run(): Promise<void> {
    if (performance.now() < this.dueAtMs) return;
    const { retentionDays: days } = this.config.history;
    const deleted = await this.history.deleteOld({ days, minRows: KEPT_EXECUTIONS });
    // One call deletes a bounded number of rows: the next round goes on, unless nothing was left to delete.
    if (deleted === 0) this.dueAtMs = performance.now() + INTERVAL_MS;
    else this.logger.info({ deleted, retention_days: days }, 'old executions deleted');
  }
}
