import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** Groups and hosts whose projects are registered by themselves, and their runs. */
export class Discoveries1764460800000 implements MigrationInterface {
  readonly name = 'Discoveries1764460800000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const sql of [DISCOVERIES, RUNS, REPOSITORIES]) await queryRunner.query(sql);
  }
}

const DISCOVERIES = `
  CREATE TABLE discoveries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL,
    base_url text NOT NULL,
    group_path text,
    include_subgroups boolean NOT NULL,
    members_only boolean NOT NULL,
    include_projects text[] NOT NULL,
    exclude_projects text[] NOT NULL,
    branches text[] NOT NULL,
    archived_projects text NOT NULL CHECK (archived_projects IN ('exclude', 'include')),
    credential_id uuid REFERENCES credentials (id),
    collection_name text NOT NULL,
    include_globs text[] NOT NULL,
    exclude_globs text[] NOT NULL,
    max_file_bytes bigint NOT NULL CHECK (max_file_bytes > 0),
    chunk_size integer NOT NULL CHECK (chunk_size > 0),
    chunk_overlap integer NOT NULL CHECK (chunk_overlap >= 0 AND chunk_overlap < chunk_size),
    schedule_cron_expression text,
    schedule_timezone text NOT NULL,
    cron_expression text NOT NULL,
    timezone text NOT NULL,
    is_active boolean NOT NULL,
    grace_hours integer NOT NULL CHECK (grace_hours >= 0),
    next_run_at timestamptz,
    revision integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at timestamptz,
    CHECK (next_run_at IS NULL OR (is_active AND deleted_at IS NULL))
  );
  CREATE UNIQUE INDEX discoveries_name_key ON discoveries (name) WHERE deleted_at IS NULL;
  CREATE INDEX discoveries_due_idx ON discoveries (next_run_at) WHERE next_run_at IS NOT NULL`;

const RUNS = `
  CREATE TABLE discovery_runs (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    discovery_id uuid NOT NULL REFERENCES discoveries (id),
    trigger text NOT NULL CHECK (trigger IN ('cron', 'manual')),
    status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'partial', 'failed')),
    force boolean NOT NULL DEFAULT false,
    requested_by text,
    attempt integer NOT NULL DEFAULT 0,
    pod_name text,
    queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at timestamptz,
    heartbeat_at timestamptz,
    completed_at timestamptz,
    projects_listed integer NOT NULL DEFAULT 0,
    added integer NOT NULL DEFAULT 0,
    kept integer NOT NULL DEFAULT 0,
    restored integer NOT NULL DEFAULT 0,
    missing integer NOT NULL DEFAULT 0,
    retired integer NOT NULL DEFAULT 0,
    skipped integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    error_code text,
    error_message text
  );
  -- One run of a discovery at a time, whatever the number of pods.
  CREATE UNIQUE INDEX discovery_runs_live_key ON discovery_runs (discovery_id)
    WHERE status IN ('queued', 'running');
  CREATE INDEX discovery_runs_waiting_idx ON discovery_runs (queued_at) WHERE status IN ('queued', 'running');
  CREATE INDEX discovery_runs_newest_idx ON discovery_runs (discovery_id, queued_at DESC, id DESC)`;

const REPOSITORIES = `
  -- Null: registered by hand.
  ALTER TABLE repositories ADD COLUMN discovery_id uuid REFERENCES discoveries (id);
  -- Since when its discovery looks for it in vain.
  ALTER TABLE repositories ADD COLUMN missing_since timestamptz;
  CREATE INDEX repositories_discovery_idx ON repositories (discovery_id)
    WHERE deleted_at IS NULL AND discovery_id IS NOT NULL`;
