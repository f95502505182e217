import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Texts that a run embeds now, so that no other run embeds them at the same time. */
export class EmbeddingClaims1765670400000 implements MigrationInterface {
  readonly name = 'EmbeddingClaims1765670400000';

  /** Unlogged: a crash of Postgres loses the claims, and they would have expired. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE UNLOGGED TABLE embedding_claims (
        model_id text, content_hash text, expires_at timestamptz NOT NULL, PRIMARY KEY (model_id, content_hash)
      );
    `);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
