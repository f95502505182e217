import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** Executions in the order of their start, those that never started last; and how often a setting was changed. */
export class SortingAndRevisions1764720000000 implements MigrationInterface {
  readonly name = 'SortingAndRevisions1764720000000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX schedule_execution_logs_started_idx
        ON schedule_execution_logs (started_at DESC NULLS LAST, id DESC);
      ALTER TABLE settings ADD COLUMN revision integer NOT NULL DEFAULT 1`);
  }
}
