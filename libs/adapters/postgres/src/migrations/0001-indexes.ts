import { dotFileSql, fileNameSql, folderKeySql } from '../manifest/path-sql.js';
import { FOLDER_SUMS } from './0001-folder-sums.js';

/** SQL of the initial schema: what is in the indexes. */
export const GENERATIONS = `
  CREATE TABLE index_generations (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    collection_name text NOT NULL,
    physical_name text NOT NULL UNIQUE,
    model_id text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions > 0),
    model_server text,
    status text NOT NULL CHECK (status IN ('building', 'active', 'retired', 'dropped')),
    -- Identifies the store's collection that holds its points. Null: there is none.
    incarnation text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(), activated_at timestamptz, retired_at timestamptz,
    -- When its points and rows were removed.
    forgotten_at timestamptz,
    -- When a build of all repositories was requested last; null: each is built by its own next sync.
    requested_at timestamptz
  );
  CREATE UNIQUE INDEX index_generations_active_key ON index_generations (collection_name) WHERE status = 'active';
  CREATE UNIQUE INDEX index_generations_building_key ON index_generations (collection_name)
    WHERE status = 'building';
  CREATE INDEX index_generations_collection_idx ON index_generations (collection_name, created_at)
    WHERE forgotten_at IS NULL;
  CREATE TABLE repository_indexes (
    repository_id uuid NOT NULL REFERENCES repositories (id),
    generation_id uuid NOT NULL REFERENCES index_generations (id),
    last_synced_commit text, last_sync_at timestamptz, index_fingerprint text,
    index_dirty boolean NOT NULL DEFAULT false, index_suspicions integer NOT NULL DEFAULT 0,
    -- Since when the store's collection is missing or replaced.
    lost_since timestamptz,
    -- Since when a run is wanted that checks it: a late writer may have changed it, or its collection was lost.
    suspect_since timestamptz, CHECK (suspect_since IS NULL OR index_dirty),
    -- What the last run left in the store: the highest fence of its points, and how many have it. Null: no points.
    mark_fence bigint, mark_points bigint, CHECK ((mark_fence IS NULL) = (mark_points IS NULL)),
    -- When a verify or a repair last compared everything, and what still differs: {files, points}. Null: nothing.
    last_verified_at timestamptz, last_drift jsonb,
    -- What has no effect in the rule files of the tree.
    warnings jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (repository_id, generation_id)
  );
  CREATE INDEX repository_indexes_generation_idx ON repository_indexes (generation_id);
  CREATE INDEX repository_indexes_suspect_idx ON repository_indexes (repository_id) WHERE suspect_since IS NOT NULL;
  CREATE INDEX repository_indexes_verified_idx ON repository_indexes (last_verified_at NULLS FIRST, repository_id)
    WHERE last_synced_commit IS NOT NULL;
  CREATE INDEX repository_indexes_drift_idx ON repository_indexes (repository_id) WHERE last_drift IS NOT NULL;
  -- Questions that a rebuilt index must answer before searches use it, and how it answered them.
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
  )`;

// A path can be too long for a B-tree. Each table that is keyed by paths has a child that keys its rows by the path's
// SHA-256 instead. Reads, updates and deletes of the parent reach both; keys and references are not inherited.
export const MANIFEST = `
  CREATE TABLE repository_files (
    repository_id uuid NOT NULL REFERENCES repositories (id),
    generation_id uuid NOT NULL REFERENCES index_generations (id),
    path text COLLATE "C" NOT NULL,
    mode text NOT NULL, blob_sha text NOT NULL, fingerprint text NOT NULL, size_bytes bigint, language text,
    chunk_count integer NOT NULL DEFAULT 0 CHECK (chunk_count >= 0), indexed_at timestamptz, skip_reason text,
    skip_detail text, last_error text,
    -- How many secrets the file holds, and where; never what. The execution wrote the row last.
    secrets_found integer NOT NULL DEFAULT 0 CHECK (secrets_found >= 0), secret_detail text, execution_id uuid,
    PRIMARY KEY (repository_id, generation_id, path)
  );
  CREATE INDEX repository_files_blob_idx ON repository_files (repository_id, generation_id, blob_sha);
  CREATE INDEX repository_files_failed_idx ON repository_files (repository_id, generation_id, path)
    WHERE last_error IS NOT NULL;
  CREATE INDEX repository_files_skipped_idx ON repository_files (repository_id, generation_id, path)
    WHERE skip_reason IS NOT NULL;
  CREATE INDEX repository_files_secrets_idx ON repository_files (repository_id, generation_id, path)
    WHERE secrets_found > 0;
  CREATE INDEX repository_files_folder_idx ON repository_files (repository_id, generation_id, (${folderKeySql('path')}));
  CREATE INDEX repository_files_dot_idx ON repository_files (repository_id, generation_id, (${fileNameSql('path')}))
    WHERE ${dotFileSql('path')};
  CREATE TABLE repository_folders (
    repository_id uuid NOT NULL REFERENCES repositories (id),
    generation_id uuid NOT NULL REFERENCES index_generations (id),
    path text COLLATE "C" NOT NULL,
    parent_path text COLLATE "C",
    -- Of all files below, also in subfolders. Sized files are those with a known size_bytes.
    file_count bigint NOT NULL, indexed_file_count bigint NOT NULL, failed_file_count bigint NOT NULL,
    sized_file_count bigint NOT NULL, size_bytes bigint NOT NULL, chunk_count bigint NOT NULL,
    -- Git's id of the folder when the rows of all files below are as in that tree and none is failed; else null.
    tree_id text,
    PRIMARY KEY (repository_id, generation_id, path),
    CHECK ((path = '') = (parent_path IS NULL))
  );
  CREATE INDEX repository_folders_parent_idx ON repository_folders (repository_id, generation_id, parent_path);
  ${['repository_files', 'repository_folders']
    .map(
      (table) => `
  CREATE TABLE ${table}_long (
    path_sha256 bytea NOT NULL,
    PRIMARY KEY (repository_id, generation_id, path_sha256),
    FOREIGN KEY (repository_id) REFERENCES repositories (id),
    FOREIGN KEY (generation_id) REFERENCES index_generations (id)
  ) INHERITS (${table});`,
    )
    .join('')}
  ${FOLDER_SUMS}`;
