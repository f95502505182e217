import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { GENERATIONS, MANIFEST, VECTORS } from './0001-indexes.js';
import { EXECUTIONS, HISTORY, SCHEDULES } from './0001-runs-and-history.js';

/**
 * The whole schema. Ids are uuids; times are `timestamptz` on the database's clock. Paths compare byte by byte ("C"): the
 * order is the same on every server, and prefixes are index ranges.
 */
export class InitialSchema1764892800000 implements MigrationInterface {
  readonly name = 'InitialSchema1764892800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const sections = [
      ACCESS,
      DISCOVERIES,
      REPOSITORIES,
      GENERATIONS,
      MANIFEST,
      SCHEDULES,
      EXECUTIONS,
      HISTORY,
      VECTORS,
    ];
    for (const sql of sections) await queryRunner.query(sql);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}

const ACCESS = `
  CREATE TABLE credentials (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL UNIQUE,
    kind text NOT NULL CHECK (kind IN ('token', 'oauth')),
    base_url text NOT NULL,
    -- AES-256-GCM; key_id says which REPOTIDE_ENCRYPTION_KEY encrypted it, so that keys can be rotated.
    ciphertext bytea NOT NULL, nonce bytea NOT NULL, auth_tag bytea NOT NULL, key_id text NOT NULL,
    -- When the OAuth access token inside expires.
    expires_at timestamptz,
    -- Grows with each new secret; an update under an older value is refused.
    generation integer NOT NULL DEFAULT 1,
    -- Set before the refresh token is sent. It works once: after a crash in between it may be used up.
    refresh_claim uuid, refresh_claimed_at timestamptz, needs_login_since timestamptz, login_error text,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((refresh_claim IS NULL) = (refresh_claimed_at IS NULL)),
    CHECK (expires_at IS NULL OR kind = 'oauth')
  );
  -- One row: tells collections of this database in a shared vector store from those of others. A backup keeps it.
  CREATE TABLE installation (id uuid NOT NULL DEFAULT gen_random_uuid());
  INSERT INTO installation DEFAULT VALUES;
  CREATE TABLE settings (
    key text PRIMARY KEY,
    value jsonb NOT NULL, revision integer NOT NULL DEFAULT 1, updated_by text,
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE api_tokens (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    -- SHA-256 of the token, hex.
    token_hash text NOT NULL UNIQUE,
    -- Patterns of project paths; null: everything.
    scope text[],
    created_by text, created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
  CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(), actor_id text NOT NULL, actor_name text NOT NULL,
    actor_role text NOT NULL, action text NOT NULL, subject_type text, subject_id text, reason text,
    request_id text NOT NULL,
    -- Null: the call did not end, for example because the process died.
    outcome text CHECK (outcome IN ('succeeded', 'refused', 'failed')),
    error_code text,
    changes jsonb
  );
  CREATE INDEX audit_log_at_idx ON audit_log (at, id);
  CREATE INDEX audit_log_subject_idx ON audit_log (subject_id, at, id) WHERE subject_id IS NOT NULL;
  CREATE INDEX audit_log_actor_idx ON audit_log (actor_id, at, id);
  CREATE TABLE pods (
    boot_id uuid PRIMARY KEY,
    pod_name text NOT NULL, roles text[] NOT NULL, version text NOT NULL, mode text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE TABLE idempotency_keys (
    caller text NOT NULL, key text NOT NULL, request_hash text NOT NULL, execution_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (caller, key)
  );
  CREATE INDEX idempotency_keys_created_idx ON idempotency_keys (created_at);
  CREATE TABLE webhook_deliveries (
    delivery_id text PRIMARY KEY,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX webhook_deliveries_received_idx ON webhook_deliveries (received_at)`;

const DISCOVERIES = `
  -- Groups and hosts whose projects are registered automatically.
  CREATE TABLE discoveries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL, base_url text NOT NULL, group_path text, include_subgroups boolean NOT NULL,
    members_only boolean NOT NULL, include_projects text[] NOT NULL, exclude_projects text[] NOT NULL,
    branches text[] NOT NULL,
    archived_projects text NOT NULL CHECK (archived_projects IN ('exclude', 'include')),
    credential_id uuid REFERENCES credentials (id),
    collection_name text NOT NULL, include_globs text[] NOT NULL, exclude_globs text[] NOT NULL,
    max_file_bytes bigint NOT NULL CHECK (max_file_bytes > 0),
    chunk_size integer NOT NULL CHECK (chunk_size > 0),
    chunk_overlap integer NOT NULL CHECK (chunk_overlap >= 0 AND chunk_overlap < chunk_size),
    schedule_cron_expression text, schedule_timezone text NOT NULL, cron_expression text NOT NULL,
    timezone text NOT NULL, is_active boolean NOT NULL,
    grace_hours integer NOT NULL CHECK (grace_hours >= 0),
    next_run_at timestamptz, revision integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(), deleted_at timestamptz,
    CHECK (next_run_at IS NULL OR (is_active AND deleted_at IS NULL))
  );
  CREATE UNIQUE INDEX discoveries_name_key ON discoveries (name) WHERE deleted_at IS NULL;
  CREATE INDEX discoveries_due_idx ON discoveries (next_run_at) WHERE next_run_at IS NOT NULL;
  CREATE TABLE discovery_runs (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    discovery_id uuid NOT NULL REFERENCES discoveries (id),
    trigger text NOT NULL CHECK (trigger IN ('cron', 'manual')),
    status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'partial', 'failed')),
    force boolean NOT NULL DEFAULT false, requested_by text, attempt integer NOT NULL DEFAULT 0, pod_name text,
    queued_at timestamptz NOT NULL DEFAULT clock_timestamp(), started_at timestamptz, heartbeat_at timestamptz,
    completed_at timestamptz, projects_listed integer NOT NULL DEFAULT 0, added integer NOT NULL DEFAULT 0,
    kept integer NOT NULL DEFAULT 0, restored integer NOT NULL DEFAULT 0, missing integer NOT NULL DEFAULT 0,
    retired integer NOT NULL DEFAULT 0, skipped integer NOT NULL DEFAULT 0, failed integer NOT NULL DEFAULT 0,
    error_code text,
    error_message text
  );
  -- A discovery has one run at a time, whatever the number of pods.
  CREATE UNIQUE INDEX discovery_runs_live_key ON discovery_runs (discovery_id) WHERE status IN ('queued', 'running');
  CREATE INDEX discovery_runs_waiting_idx ON discovery_runs (queued_at) WHERE status IN ('queued', 'running');
  CREATE INDEX discovery_runs_newest_idx ON discovery_runs (discovery_id, queued_at DESC, id DESC)`;

const REPOSITORIES = `
  CREATE TABLE repositories (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    provider text NOT NULL CHECK (provider IN ('gitlab')),
    base_url text NOT NULL, project_id bigint NOT NULL, project_path text NOT NULL, branch text NOT NULL,
    collection_name text NOT NULL, include_globs text[] NOT NULL DEFAULT '{}',
    exclude_globs text[] NOT NULL DEFAULT '{}',
    max_file_bytes bigint NOT NULL CHECK (max_file_bytes > 0),
    chunk_size integer NOT NULL CHECK (chunk_size > 0),
    chunk_overlap integer NOT NULL CHECK (chunk_overlap >= 0 AND chunk_overlap < chunk_size),
    credential_id uuid REFERENCES credentials (id),
    -- Null: registered by hand.
    discovery_id uuid REFERENCES discoveries (id),
    -- Since when its discovery does not find it.
    missing_since timestamptz,
    -- A copy of the active generation's, for people who read the table.
    last_synced_commit text,
    -- The fence of the newest attempt: one with a lower fence comes too late.
    last_fence bigint NOT NULL DEFAULT 0,
    -- A push came during a run: another run is due at this time, once that one has ended.
    rerun_at timestamptz, revision integer NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz,
    purged_at timestamptz
  );
  CREATE UNIQUE INDEX repositories_identity_key
    ON repositories (provider, base_url, project_id, branch) WHERE deleted_at IS NULL;
  CREATE INDEX repositories_created_idx ON repositories (created_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX repositories_unpurged_idx ON repositories (deleted_at)
    WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
  CREATE INDEX repositories_credential_idx ON repositories (credential_id) WHERE credential_id IS NOT NULL;
  CREATE INDEX repositories_rerun_idx ON repositories (id) WHERE rerun_at IS NOT NULL;
  CREATE INDEX repositories_project_idx ON repositories (project_id, branch) WHERE deleted_at IS NULL;
  CREATE INDEX repositories_discovery_idx ON repositories (discovery_id)
    WHERE deleted_at IS NULL AND discovery_id IS NOT NULL;
  -- Who holds which advisory lock and when it was renewed. Unlogged: a crash of the server ends all advisory locks too.
  CREATE UNLOGGED TABLE repository_leases (
    repository_id text PRIMARY KEY,
    -- The two halves of the advisory lock's key, not negative.
    lock_class integer NOT NULL CHECK (lock_class >= 0),
    lock_object integer NOT NULL CHECK (lock_object >= 0),
    pod_name text NOT NULL, execution_id text NOT NULL, fence bigint NOT NULL,
    -- The session that holds the lock. Without it in pg_locks the row means nothing.
    backend_pid integer NOT NULL, renewed_at timestamptz NOT NULL,
    -- Set when the lease is taken from its holder, who may not renew it any more.
    broken_at timestamptz
  ) WITH (fillfactor = 50)`;
