import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The terms of the embedded vector store's points, and what a process needs to read only what changed. */
export class LexicalLane1764979200000 implements MigrationInterface {
  readonly name = 'LexicalLane1764979200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE vector_points
        -- Term ids (32 bits, little-endian), then their weights as 32-bit floats. Null: written before terms existed.
        ADD COLUMN terms bytea,
        -- The transaction that wrote the row last.
        ADD COLUMN written_by xid8 NOT NULL DEFAULT '0';
      CREATE INDEX vector_points_written_idx ON vector_points (collection, written_by);
      CREATE INDEX vector_points_without_terms_idx ON vector_points (collection, repository_id) WHERE terms IS NULL`);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
