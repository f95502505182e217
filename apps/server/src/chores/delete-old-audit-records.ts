import { AuditLog } from '@adapters/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { Clock, Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { type Chore } from './chore.js';

const DAY_MS = 86_400_000;

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
