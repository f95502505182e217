import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Which pods build which model, and which builds were asked for: runs of a build go to the pods that can do them. */
export class RequestedBuilds1765238400000 implements MigrationInterface {
  readonly name = 'RequestedBuilds1765238400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The configured embedding model; null: a pod of an older version.
      ALTER TABLE pods ADD COLUMN model_id text;
      -- When someone last asked for a build of all repositories; null: each is built by its own next sync.
      ALTER TABLE index_generations ADD COLUMN requested_at timestamptz`);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
