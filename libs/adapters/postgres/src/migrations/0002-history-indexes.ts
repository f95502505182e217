import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/**
 * What the history pages ask for: runs by when they ended, and the few that went wrong, among the many that did not.
 * Also where a cron run spent its life: `pod_name` is a filter of the list.
 */
export class HistoryIndexes1763683200000 implements MigrationInterface {
  readonly name = 'HistoryIndexes1763683200000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX schedule_execution_logs_completed_idx
        ON schedule_execution_logs (completed_at) WHERE completed_at IS NOT NULL;
      CREATE INDEX schedule_execution_logs_trouble_idx
        ON schedule_execution_logs (queued_at, id) WHERE status IN ('failed', 'partial', 'missed');
      CREATE INDEX schedule_execution_logs_pod_idx
        ON schedule_execution_logs (pod_name, queued_at) WHERE pod_name IS NOT NULL`);
  }
}
