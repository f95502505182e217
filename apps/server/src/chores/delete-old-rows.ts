import { Inject, Injectable } from '@nestjs/common';
import { AuditLog, EmbeddingCacheEvictor, EventDeliveries, PostgresHistory } from '@adapters/postgres';
import { Clock, Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { type Chore } from './chore.js';

const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The newest executions of each schedule and of each repository are never deleted. */
const KEPT_EXECUTIONS = 10;
const DELIVERIES_KEPT_DAYS = 7;

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

/** Deletes the audit records that are older than the retention. */
@Injectable()
export class DeleteOldAuditRecords implements Chore {
  readonly name = 'audit_retention';

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'audit'>,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const { retentionDays: days } = this.config.audit;
    if (days === 0) return;
    const records = await this.audit.deleteBefore(new Date(this.clock.now().getTime() - days * DAY_MS));
    if (records > 0) this.logger.info({ records, retention_days: days }, 'old audit records deleted');
  }
}

/** Deletes old deliveries, also those that wait for a disabled webhook. */
@Injectable()
export class DeleteOldDeliveries implements Chore {
  readonly name = 'old event deliveries';

  constructor(private readonly deliveries: EventDeliveries) {}

  run(): Promise<void> {
    return this.deliveries.deleteOlderThan(DELIVERIES_KEPT_DAYS);
  }
}

/** Keeps the embedding cache within its bound and exports its size. */
@Injectable()
export class EvictEmbeddingCache implements Chore {
  readonly name = 'embedding-cache';

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'embeddingCache'>,
    @Inject(EmbeddingCacheEvictor) private readonly keeper: Pick<EmbeddingCacheEvictor, 'evict'>,
    private readonly metrics: Metrics,
  ) {}

  async run(): Promise<void> {
    const { maxVectors } = this.config.embeddingCache;
    const { evicted, entries, bytes } = await this.keeper.evict(maxVectors);
    this.metrics.embeddingCacheEvictions.inc(evicted);
    this.showSize(entries, bytes);
  }

  /** Resets the metrics: the last values of a former leader would look current. */
  standBy(): void {
    this.showSize(0, 0);
  }

  private showSize(entries: number, bytes: number): void {
    this.metrics.embeddingCacheEntries.set(entries);
    this.metrics.embeddingCacheBytes.set(bytes);
  }
}
