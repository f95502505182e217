import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Questions that a rebuilt index must answer before searches use it, and how it answered them. */
export class SearchGates1765843200000 implements MigrationInterface {
  readonly name = 'SearchGates1765843200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE search_gates (
        collection_name text PRIMARY KEY,
        -- Another one after each change, so that verdicts of the former questions do not count.
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        -- A list of {question, expected, repository?}.
        questions jsonb NOT NULL,
        -- By how much nDCG@10 may fall.
        max_loss double precision NOT NULL CHECK (max_loss BETWEEN 0 AND 1),
        updated_by text,
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE TABLE search_gate_verdicts (
        generation_id uuid PRIMARY KEY REFERENCES index_generations ON DELETE CASCADE,
        gate_id uuid NOT NULL,
        is_passed boolean NOT NULL,
        questions integer NOT NULL,
        active_ndcg double precision NOT NULL,
        building_ndcg double precision NOT NULL,
        judged_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
