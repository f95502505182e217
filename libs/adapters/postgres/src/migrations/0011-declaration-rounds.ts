import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The newest comparison of the service with each declaration. */
export class DeclarationRounds1765756800000 implements MigrationInterface {
  readonly name = 'DeclarationRounds1765756800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE declaration_rounds (
        declaration text PRIMARY KEY,
        status text NOT NULL CHECK (status IN ('equal', 'differs', 'failed')),
        checked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- When a comparison last changed the service.
        changed_at timestamptz,
        pod_name text NOT NULL, error text,
        -- What the newest comparison that found a difference changed, or would change.
        changes jsonb NOT NULL DEFAULT '[]'
      );
    `);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
