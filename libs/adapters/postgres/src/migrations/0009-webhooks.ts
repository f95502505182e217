import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** Pushes: which deliveries came already, and which repositories need a run after the one that goes on. */
export class Webhooks1764288000000 implements MigrationInterface {
  readonly name = 'Webhooks1764288000000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webhook_deliveries (
        delivery_id text PRIMARY KEY,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX webhook_deliveries_received_idx ON webhook_deliveries (received_at);
      -- A push came while a run was going on: another run is due at this time, once that one has ended.
      ALTER TABLE repositories ADD COLUMN rerun_at timestamptz;
      CREATE INDEX repositories_rerun_idx ON repositories (id) WHERE rerun_at IS NOT NULL;
      CREATE INDEX repositories_project_idx ON repositories (project_id, branch) WHERE deleted_at IS NULL`);
  }
}
