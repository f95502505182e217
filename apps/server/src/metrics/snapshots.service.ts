import { Injectable } from '@nestjs/common';
import { EventDeliveries } from '@adapters/postgres';
import { Clock, ExecutionStore, Logger, type RepotideError, toRepotideError } from '@core/domain';
import { Metrics } from './metrics.js';
import { RepositoryGauges } from './repository-gauges.js';

/** Values are cached this long, because queries to external systems are expensive and several scrapers may exist. */
const KEPT_MS = 15_000;
/** While a source fails, at most one warning a minute is logged, however often the metrics are scraped. */
const WARNING_INTERVAL_MS = 60_000;

/** Refreshes, on a scrape, the gauges that need queries, at most every 15 s. */
@Injectable()
export class SnapshotsService {
  private refreshedAtMs = -Infinity;
  private current: Promise<void> | null = null;
  /** Sources whose last query failed. */
  private readonly failing = new Map<string, { warnedAtMs: number }>();

  constructor(
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryGauges,
    private readonly deliveries: EventDeliveries,
  ) {}

  /** Never throws: if a source fails, its gauges keep their last value. */
  async refresh(): Promise<void> {
    if (this.clock.monotonicMs() - this.refreshedAtMs < KEPT_MS) return;
    this.current ??= this.refreshAll().finally(() => (this.current = null));
    await this.current;
  }

  private async refreshAll(): Promise<void> {
    this.refreshedAtMs = this.clock.monotonicMs();
    await Promise.all([
      this.attempt('queue', async () => this.metrics.queueDepth.set(await this.executions.countQueued())),
      this.attempt('repositories', () => this.repositories.refresh()),
      this.attempt('lost', () => this.repositories.countLost()),
      this.attempt('verification', () => this.repositories.showVerification()),
      this.attempt('events', () => this.countDeliveries()),
    ]);
  }

  private async countDeliveries(): Promise<void> {
    const { pending, disabled } = await this.deliveries.count();
    this.metrics.pendingEventDeliveries.set(pending);
    this.metrics.disabledEventWebhooks.set(disabled);
  }

  private async attempt(source: string, query: () => Promise<unknown>): Promise<void> {
    try {
      await query();
      this.failing.delete(source);
    } catch (thrown) {
      this.report(source, toRepotideError(thrown));
    }
  }

  /** A temporary error causes a warning only at its second occurrence in a row. */
  private report(source: string, { kind, code, message }: RepotideError): void {
    const fields = { source, error_code: code, error: message };
    const failure = this.failing.get(source);
    const nowMs = this.clock.monotonicMs();
    const isQuiet =
      failure === undefined ? kind === 'temporary' : nowMs - failure.warnedAtMs < WARNING_INTERVAL_MS;
    this.failing.set(source, { warnedAtMs: isQuiet ? (failure?.warnedAtMs ?? -Infinity) : nowMs });
    if (isQuiet) this.logger.debug(fields, 'gauge not refreshed');
    else this.logger.warn(fields, 'gauge not refreshed; it shows its former value');
  }
}
