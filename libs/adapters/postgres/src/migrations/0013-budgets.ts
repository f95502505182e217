import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/**
 * What a run may spend, what it spent, what it found (dry run, verify), and which run it does again. A dry run only reads:
 * it may go on beside another run. Handlers are named in the code alone from here on, so that a new one needs no migration.
 */
export class Budgets1764633600000 implements MigrationInterface {
  readonly name = 'Budgets1764633600000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE schedule_sessions
        ADD COLUMN max_embedding_tokens_per_run bigint CHECK (max_embedding_tokens_per_run > 0),
        ADD COLUMN max_embedding_tokens_per_day bigint CHECK (max_embedding_tokens_per_day > 0),
        ADD COLUMN time_budget_seconds integer CHECK (time_budget_seconds >= 0);
      ALTER TABLE schedule_execution_logs
        ADD COLUMN embedding_tokens bigint NOT NULL DEFAULT 0,
        ADD COLUMN max_embedding_tokens bigint CHECK (max_embedding_tokens > 0),
        ADD COLUMN retry_of_execution_id uuid,
        ADD COLUMN report jsonb,
        DROP CONSTRAINT IF EXISTS schedule_execution_logs_handler_check;
      DROP INDEX schedule_execution_logs_running_key;
      CREATE UNIQUE INDEX schedule_execution_logs_running_key
        ON schedule_execution_logs (repository_id) WHERE status = 'running' AND handler <> 'dry_run'`);
  }
}
