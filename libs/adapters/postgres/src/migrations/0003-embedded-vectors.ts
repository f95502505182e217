import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** The embedded vector store: collections and their points, for installations without Qdrant. */
export class EmbeddedVectors1763769600000 implements MigrationInterface {
  readonly name = 'EmbeddedVectors1763769600000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE vector_collections (
        name text PRIMARY KEY,
        dimensions integer NOT NULL CHECK (dimensions > 0),
        -- Vectors of two models never share a collection.
        model_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE vector_points (
        collection text NOT NULL REFERENCES vector_collections (name) ON DELETE CASCADE,
        id uuid NOT NULL,
        repository_id text NOT NULL,
        path text COLLATE "C" NOT NULL,
        directories text[] NOT NULL,
        language text,
        file_version text NOT NULL,
        blob_sha text NOT NULL,
        chunk_index integer NOT NULL,
        fence bigint NOT NULL,
        -- 32-bit floats, little-endian, of length 1.
        vector bytea NOT NULL,
        -- json, not jsonb: source text may hold what jsonb refuses, e.g. a NUL.
        payload json NOT NULL,
        PRIMARY KEY (collection, id)
      );
      -- A search reads every vector and few payloads: keep vectors in the row, let payloads move out.
      ALTER TABLE vector_points ALTER COLUMN vector SET STORAGE MAIN;
      CREATE INDEX vector_points_file_idx ON vector_points (collection, repository_id, path, id)`);
  }
}
