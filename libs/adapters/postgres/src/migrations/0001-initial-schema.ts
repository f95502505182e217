import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** All tables of the first version. Ids are uuids; times are `timestamptz` on the database's clock. */
export class InitialSchema1763596800000 implements MigrationInterface {
  readonly name = 'InitialSchema1763596800000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const sql of [CREDENTIALS, REPOSITORIES, SCHEDULES, EXECUTIONS, MANIFEST, SHARED]) {
      await queryRunner.query(sql);
    }
  }
}

const CREDENTIALS = `
  CREATE TABLE credentials (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL UNIQUE,
    -- AES-256-GCM; key_id says which REPOTIDE_ENCRYPTION_KEY sealed it, so that keys can be rotated.
    ciphertext bytea NOT NULL,
    nonce bytea NOT NULL,
    auth_tag bytea NOT NULL,
    key_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`;

const REPOSITORIES = `
  CREATE TABLE repositories (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    provider text NOT NULL CHECK (provider IN ('gitlab')),
    base_url text NOT NULL,
    project_id bigint NOT NULL,
    project_path text NOT NULL,
    branch text NOT NULL,
    collection_name text NOT NULL,
    include_globs text[] NOT NULL DEFAULT '{}',
    exclude_globs text[] NOT NULL DEFAULT '{}',
    max_file_bytes bigint NOT NULL CHECK (max_file_bytes > 0),
    chunk_size integer NOT NULL CHECK (chunk_size > 0),
    chunk_overlap integer NOT NULL CHECK (chunk_overlap >= 0 AND chunk_overlap < chunk_size),
    credential_id uuid REFERENCES credentials (id),
    last_synced_commit text,
    last_sync_at timestamptz,
    index_fingerprint text,
    index_dirty boolean NOT NULL DEFAULT false,
    index_suspicions integer NOT NULL DEFAULT 0,
    -- Of the attempt that started last: an attempt with a lower one comes too late.
    last_fence bigint NOT NULL DEFAULT 0,
    revision integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    purged_at timestamptz
  );
  CREATE UNIQUE INDEX repositories_identity_key
    ON repositories (provider, base_url, project_id, branch) WHERE deleted_at IS NULL;
  CREATE INDEX repositories_created_idx ON repositories (created_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX repositories_unpurged_idx ON repositories (deleted_at)
    WHERE deleted_at IS NOT NULL AND purged_at IS NULL`;

const SCHEDULES = `
  CREATE TABLE schedule_sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    repository_id uuid NOT NULL REFERENCES repositories (id),
    cron_expression text NOT NULL,
    timezone text NOT NULL DEFAULT 'UTC',
    is_active boolean NOT NULL DEFAULT true,
    misfire_grace_seconds integer NOT NULL DEFAULT 300 CHECK (misfire_grace_seconds >= 0),
    next_run_at timestamptz,
    last_sync_at timestamptz,
    revision integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CHECK (next_run_at IS NULL OR is_active)
  );
  CREATE INDEX schedule_sessions_due_idx ON schedule_sessions (next_run_at)
    WHERE is_active AND deleted_at IS NULL;
  CREATE INDEX schedule_sessions_repository_idx ON schedule_sessions (repository_id)`;

const EXECUTIONS = `
  -- Grows with each attempt of any run; every write of a run carries its value.
  CREATE SEQUENCE execution_fence_seq;
  CREATE TABLE schedule_execution_logs (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    schedule_session_id uuid REFERENCES schedule_sessions (id),
    repository_id uuid NOT NULL REFERENCES repositories (id),
    trigger text NOT NULL CHECK (trigger IN ('cron', 'manual', 'webhook', 'recovery')),
    handler text NOT NULL DEFAULT 'repository_sync'
      CHECK (handler IN ('repository_sync', 'verify', 'repair', 'purge')),
    scheduled_for timestamptz,
    status text NOT NULL CHECK (status IN
      ('queued', 'running', 'completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped')),
    attempt integer NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    fence bigint NOT NULL DEFAULT 0,
    pod_name text,
    requested_by text,
    full_sync boolean NOT NULL DEFAULT false,
    queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    available_at timestamptz,
    interruptions integer NOT NULL DEFAULT 0,
    started_at timestamptz,
    heartbeat_at timestamptz,
    completed_at timestamptz,
    duration_seconds double precision,
    files_processed bigint NOT NULL DEFAULT 0,
    files_added bigint NOT NULL DEFAULT 0,
    files_modified bigint NOT NULL DEFAULT 0,
    files_renamed bigint NOT NULL DEFAULT 0,
    files_deleted bigint NOT NULL DEFAULT 0,
    files_skipped bigint NOT NULL DEFAULT 0,
    files_failed bigint NOT NULL DEFAULT 0,
    chunks_upserted bigint NOT NULL DEFAULT 0,
    chunks_deleted bigint NOT NULL DEFAULT 0,
    embeddings_requested bigint NOT NULL DEFAULT 0,
    embeddings_reused bigint NOT NULL DEFAULT 0,
    source_requests bigint NOT NULL DEFAULT 0,
    bytes_fetched bigint NOT NULL DEFAULT 0,
    from_commit text,
    to_commit text,
    coalesced_count integer NOT NULL DEFAULT 0,
    cancel_requested_at timestamptz,
    error_code text,
    error_message text,
    CHECK ((trigger = 'cron') = (schedule_session_id IS NOT NULL AND scheduled_for IS NOT NULL)),
    CHECK ((status IN ('queued', 'running')) = (completed_at IS NULL)),
    -- G1: a tick is claimed once, for all time.
    CONSTRAINT schedule_execution_logs_tick_key UNIQUE (schedule_session_id, scheduled_for)
  );
  -- G2: whatever becomes of leases, one run per repository is accepted.
  CREATE UNIQUE INDEX schedule_execution_logs_running_key
    ON schedule_execution_logs (repository_id) WHERE status = 'running';
  CREATE INDEX schedule_execution_logs_live_idx
    ON schedule_execution_logs (status, queued_at) WHERE status IN ('queued', 'running');
  CREATE INDEX schedule_execution_logs_queued_idx ON schedule_execution_logs (queued_at, id);
  CREATE INDEX schedule_execution_logs_repository_idx
    ON schedule_execution_logs (repository_id, queued_at, id);
  CREATE INDEX schedule_execution_logs_schedule_idx
    ON schedule_execution_logs (schedule_session_id, queued_at, id)`;

// Paths compare byte by byte ("C"): the order is the same on every server, and prefixes are index ranges.
const MANIFEST = `
  CREATE TABLE repository_files (
    repository_id uuid NOT NULL REFERENCES repositories (id),
    path text COLLATE "C" NOT NULL,
    mode text NOT NULL,
    blob_sha text NOT NULL,
    fingerprint text NOT NULL,
    size_bytes bigint,
    language text,
    chunk_count integer NOT NULL DEFAULT 0 CHECK (chunk_count >= 0),
    indexed_at timestamptz,
    skip_reason text,
    skip_detail text,
    last_error text,
    PRIMARY KEY (repository_id, path)
  );
  CREATE INDEX repository_files_blob_idx ON repository_files (repository_id, blob_sha);
  CREATE INDEX repository_files_failed_idx ON repository_files (repository_id, path)
    WHERE last_error IS NOT NULL;
  CREATE INDEX repository_files_skipped_idx ON repository_files (repository_id, path)
    WHERE skip_reason IS NOT NULL;
  CREATE TABLE repository_folders (
    repository_id uuid NOT NULL REFERENCES repositories (id),
    path text COLLATE "C" NOT NULL,
    parent_path text COLLATE "C",
    file_count bigint NOT NULL,
    indexed_file_count bigint NOT NULL,
    size_bytes bigint NOT NULL,
    PRIMARY KEY (repository_id, path),
    CHECK ((path = '') = (parent_path IS NULL))
  );
  CREATE INDEX repository_folders_parent_idx ON repository_folders (repository_id, parent_path)`;

const SHARED = `
  CREATE TABLE embedding_cache (
    model_id text NOT NULL,
    content_hash text NOT NULL,
    -- 32-bit floats, little-endian.
    vector bytea NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model_id, content_hash)
  );
  CREATE INDEX embedding_cache_used_idx ON embedding_cache (used_at);
  CREATE TABLE settings (
    key text PRIMARY KEY,
    value jsonb NOT NULL,
    updated_by text,
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE api_tokens (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    -- SHA-256 of the token, hex.
    token_hash text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
  )`;
