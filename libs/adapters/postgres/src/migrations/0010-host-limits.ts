import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** How long a run waited for hosts, and how many of its requests were repeated. */
export class HostLimits1764374400000 implements MigrationInterface {
  readonly name = 'HostLimits1764374400000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE schedule_execution_logs
        ADD COLUMN source_retries bigint NOT NULL DEFAULT 0,
        ADD COLUMN rate_limited_seconds bigint NOT NULL DEFAULT 0`);
  }
}
