import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** How a run read the code host: which ways, and with how many requests each. */
export class FetchStrategy1763942400000 implements MigrationInterface {
  readonly name = 'FetchStrategy1763942400000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE schedule_execution_logs ADD COLUMN fetch_strategy text');
  }
}
