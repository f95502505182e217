import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/**
 * Generations of an index: manifest, folders and pointer belong to one of them. What the embedded store holds becomes
 * the first one. Of collections in Qdrant the model is not known here, so they are built anew from the embedding cache.
 */
export class BreakingIndexGenerations1764547200000 implements MigrationInterface {
  readonly name = 'BreakingIndexGenerations1764547200000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const sql of [GENERATIONS, ADOPT, MANIFEST, FOLDERS, REPOSITORIES]) await queryRunner.query(sql);
  }
}

const GENERATIONS = `
  CREATE TABLE index_generations (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    collection_name text NOT NULL,
    physical_name text NOT NULL UNIQUE,
    model_id text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions > 0),
    model_server text,
    status text NOT NULL CHECK (status IN ('building', 'active', 'retired', 'dropped')),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    activated_at timestamptz,
    retired_at timestamptz,
    -- Its points and rows are gone.
    forgotten_at timestamptz
  );
  CREATE UNIQUE INDEX index_generations_active_key ON index_generations (collection_name) WHERE status = 'active';
  CREATE UNIQUE INDEX index_generations_building_key ON index_generations (collection_name)
    WHERE status = 'building';
  CREATE INDEX index_generations_collection_idx ON index_generations (collection_name, created_at)
    WHERE forgotten_at IS NULL;
  CREATE TABLE repository_indexes (
    repository_id uuid NOT NULL REFERENCES repositories (id),
    generation_id uuid NOT NULL REFERENCES index_generations (id),
    last_synced_commit text,
    last_sync_at timestamptz,
    index_fingerprint text,
    index_dirty boolean NOT NULL DEFAULT false,
    index_suspicions integer NOT NULL DEFAULT 0,
    PRIMARY KEY (repository_id, generation_id)
  );
  CREATE INDEX repository_indexes_generation_idx ON repository_indexes (generation_id)`;

const ADOPT = `
  INSERT INTO index_generations (collection_name, physical_name, model_id, dimensions, status, activated_at)
    SELECT name, name, model_id, dimensions, 'active', clock_timestamp() FROM vector_collections;
  INSERT INTO repository_indexes (repository_id, generation_id, last_synced_commit, last_sync_at,
      index_fingerprint, index_dirty, index_suspicions)
    SELECT r.id, g.id, r.last_synced_commit, r.last_sync_at, r.index_fingerprint, r.index_dirty, r.index_suspicions
    FROM repositories r JOIN index_generations g USING (collection_name)`;

const MANIFEST = `
  ALTER TABLE repository_files ADD COLUMN generation_id uuid REFERENCES index_generations (id);
  UPDATE repository_files f SET generation_id = i.generation_id
    FROM repository_indexes i WHERE i.repository_id = f.repository_id;
  DELETE FROM repository_files WHERE generation_id IS NULL;
  ALTER TABLE repository_files ALTER COLUMN generation_id SET NOT NULL,
    DROP CONSTRAINT repository_files_pkey, ADD PRIMARY KEY (repository_id, generation_id, path);
  DROP INDEX repository_files_blob_idx, repository_files_failed_idx, repository_files_skipped_idx,
    repository_files_secrets_idx;
  CREATE INDEX repository_files_blob_idx ON repository_files (repository_id, generation_id, blob_sha);
  CREATE INDEX repository_files_failed_idx ON repository_files (repository_id, generation_id, path)
    WHERE last_error IS NOT NULL;
  CREATE INDEX repository_files_skipped_idx ON repository_files (repository_id, generation_id, path)
    WHERE skip_reason IS NOT NULL;
  CREATE INDEX repository_files_secrets_idx ON repository_files (repository_id, generation_id, path)
    WHERE secrets_found > 0`;

const FOLDERS = `
  ALTER TABLE repository_folders ADD COLUMN generation_id uuid REFERENCES index_generations (id);
  UPDATE repository_folders f SET generation_id = i.generation_id
    FROM repository_indexes i WHERE i.repository_id = f.repository_id;
  DELETE FROM repository_folders WHERE generation_id IS NULL;
  ALTER TABLE repository_folders ALTER COLUMN generation_id SET NOT NULL,
    DROP CONSTRAINT repository_folders_pkey, ADD PRIMARY KEY (repository_id, generation_id, path);
  DROP INDEX repository_folders_parent_idx;
  CREATE INDEX repository_folders_parent_idx ON repository_folders (repository_id, generation_id, parent_path)`;

// `last_synced_commit` stays, for those who read the table: the active generation's, written together with it.
const REPOSITORIES = `
  UPDATE repositories r SET last_synced_commit = NULL
    WHERE NOT EXISTS (SELECT FROM repository_indexes i WHERE i.repository_id = r.id);
  ALTER TABLE repositories DROP COLUMN last_sync_at, DROP COLUMN index_fingerprint, DROP COLUMN index_dirty,
    DROP COLUMN index_suspicions`;
