import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { AuditLog } from '@adapters/postgres';
import { type AuditLink, type AuditRecord, errorFields, Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { RefusalSums } from './refusal-sums.js';

/** Records that wait for the database: about 10 MB. */
const MOST_WAITING = 10_000;
const MOST_AT_ONCE = 500;
const DELAY_MS = 1_000;
const RETRY_MS = 5_000;
const SUM_MS = 60_000;

/**
 * Writes audit records. A change is recorded before it is made; everything else is written in the background, in batches,
 * so that no request waits for it and none fails when the database does not answer.
 */
@Injectable()
export class AuditTrail implements BeforeApplicationShutdown, OnApplicationShutdown {
  private waiting: AuditRecord[] = [];
  private lost = 0;
  private timer: NodeJS.Timeout | null = null;
  private sumTimer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();
  private readonly refusals = new RefusalSums();

  constructor(
    private readonly log: AuditLog,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: Pick<Config, 'audit'>,
  ) {}

  /** Resolves once the record is stored. @returns its id. */
  async recordNow(record: AuditRecord): Promise<number> {
    const [link] = await this.log.append([record]);
    if (!link) throw new Error('The audit log has appended nothing.');
    this.announce([record], [link]);
    return link.id;
  }

  /** Stores the record soon; counts it as lost when too many wait. */
  record(record: AuditRecord): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.lost += 1;
      this.metrics.auditLost.inc();
      return;
    }
    this.waiting.push(record);
    this.writeIn(this.waiting.length >= MOST_AT_ONCE ? 0 : DELAY_MS);
  }

  /** Records the first refusal of a kind, and the sum of those that follow within a minute. */
  recordRefusal(record: AuditRecord): void {
    const first = this.refusals.add(record);
    if (first !== null) this.record(first);
    this.sumTimer ??= setTimeout(() => this.closeSums(), SUM_MS).unref();
  }

  /** Stores what waits. Never throws: a failure is counted, and the records wait for the next attempt. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  fingerprint(text: string): Promise<string> {
    return this.log.fingerprint(text);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.end();
  }

  /** The last requests end after the first call. */
  onApplicationShutdown(): Promise<void> {
    return this.end();
  }

  private async end(): Promise<void> {
    this.closeSums();
    await this.flush();
    if (this.timer) clearTimeout(this.timer);
  }

  private closeSums(): void {
    if (this.sumTimer) clearTimeout(this.sumTimer);
    this.sumTimer = null;
    for (const sum of this.refusals.close()) this.record(sum);
  }

  private writeIn(delayMs: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      void this.flush();
    }, delayMs).unref();
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const records = this.waiting.slice(0, MOST_AT_ONCE);
      const { lost } = this;
      const loss = lost > 0 ? [lossOf(lost)] : [];
      try {
        const links = await this.log.append([...records, ...loss]);
        this.waiting.splice(0, records.length);
        this.lost -= lost;
        this.announce([...records, ...loss], links);
      } catch (thrown) {
        this.metrics.auditWriteFailures.inc();
        const fields = { waiting: this.waiting.length, ...errorFields(thrown) };
        this.logger.warn(fields, 'Audit records could not be written; they wait for the next attempt');
        this.writeIn(RETRY_MS);
        return;
      }
    }
  }

  private announce(records: readonly AuditRecord[], links: readonly AuditLink[]): void {
    for (const [index, link] of links.entries()) {
      const record = records[index]!;
      this.metrics.auditRecords.inc({ kind: record.kind });
      if (this.config.audit.isPrinted) process.stdout.write(this.log.printed(record, link));
    }
  }
}

/** Shows in the chain that it is not complete. */
function lossOf(calls: number): AuditRecord {
  return { at: new Date(), kind: 'loss', action: 'audit.lose', calls };
}
