import { PostgresHistory } from '@adapters/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { type Chore } from './chore.js';

const INTERVAL_MS = 3_600_000;
/** The newest executions of each schedule and of each repository are never deleted. */
const KEPT_EXECUTIONS = 10;

/**
 * Merges the sums of history. Every hour makes the partitions of the next months, and deletes the months that are older than
 * the retention; their sums remain.
 */
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
    await this.history.mergeSums();
    if (performance.now() < this.dueAtMs) return;
    const { retentionDays: days } = this.config.history;
    const months = await this.history.retain({ days, minRows: KEPT_EXECUTIONS });
    this.dueAtMs = performance.now() + INTERVAL_MS;
    if (months.length > 0) this.logger.info({ months, retention_days: days }, 'old executions deleted');
  }
}
