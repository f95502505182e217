/** SQL of the initial schema: groups whose projects are registered, the repositories, and what files declare. */
export const DISCOVERIES = `
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

export const REPOSITORIES = `
  CREATE TABLE repositories (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    provider text NOT NULL CHECK (provider IN ('gitlab', 'git')),
    base_url text NOT NULL,
    -- Null at a git host without a number for it: its URL is the path of the project.
    project_id bigint, project_path text NOT NULL, branch text NOT NULL,
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
    purged_at timestamptz,
    CONSTRAINT repositories_project_id_check CHECK ((provider = 'gitlab') = (project_id IS NOT NULL))
  );
  CREATE UNIQUE INDEX repositories_identity_key
    ON repositories (provider, base_url, project_id, branch) WHERE deleted_at IS NULL;
  CREATE UNIQUE INDEX repositories_git_key ON repositories (project_path, branch)
    WHERE deleted_at IS NULL AND provider = 'git';
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

export const DECLARATIONS = `
  -- Which resources were declared in files, and in what words.
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
  -- The newest comparison of the service with each declaration.
  CREATE TABLE declaration_rounds (
    declaration text PRIMARY KEY,
    status text NOT NULL CHECK (status IN ('equal', 'differs', 'failed')),
    checked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When a comparison last changed the service.
    changed_at timestamptz,
    pod_name text NOT NULL, error text,
    -- What the newest comparison that found a difference changed, or would change.
    changes jsonb NOT NULL DEFAULT '[]'
  )`;
