import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Which repositories, schedules, discoveries and credentials were declared in files, and in what words. */
export class DeclaredResources1765411200000 implements MigrationInterface {
  readonly name = 'DeclaredResources1765411200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE declared_resources (
        declaration text, kind text CHECK (kind IN ('credential', 'repository', 'schedule', 'discovery')),
        -- Its name in the files, by which the next application finds it.
        key text, resource_id uuid NOT NULL,
        -- Of its fields in the files: tells a change of the files from one by hand.
        digest text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT clock_timestamp(), applied_by text,
        PRIMARY KEY (declaration, kind, key)
      );
      CREATE INDEX declared_resources_resource_idx ON declared_resources (resource_id);
    `);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
