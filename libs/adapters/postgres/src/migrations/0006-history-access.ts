import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** History in sums, files of executions, and what says who did what from where: tokens, audit, pods, repeated requests. */
export class HistoryAndAccess1764028800000 implements MigrationInterface {
  readonly name = 'HistoryAndAccess1764028800000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const sql of [HISTORY, PENDING, FILES, ACCESS]) await queryRunner.query(sql);
  }
}

const COUNTS = `
    completed bigint NOT NULL, partial bigint NOT NULL, failed bigint NOT NULL,
    cancelled bigint NOT NULL, missed bigint NOT NULL, skipped bigint NOT NULL,
    files_processed bigint NOT NULL, files_failed bigint NOT NULL,
    chunks_upserted bigint NOT NULL, chunks_deleted bigint NOT NULL,
    embeddings_requested bigint NOT NULL, embeddings_reused bigint NOT NULL`;

/** Few cells of a long unit must not lie scattered among many of a short one: a year would be thousands of pages. */
function levelsOf(table: string, levels: readonly string[]): string {
  return levels
    .map((level) => `  CREATE TABLE ${table}_${level} PARTITION OF ${table} FOR VALUES IN ('${level}');`)
    .join('\n');
}

const HISTORY = `
  -- Sums of ended executions by the time they were queued at. A cell of a level holds all of its time (UTC);
  -- pod_name is empty where there was no pod. See docs/decisions on history.
  CREATE TABLE history_totals (
    level text NOT NULL,
    bucket_start timestamptz NOT NULL,
    trigger text NOT NULL,
    pod_name text NOT NULL,${COUNTS},
    duration_count bigint NOT NULL,
    duration_sum double precision NOT NULL,
    duration_max double precision,
    PRIMARY KEY (level, bucket_start, trigger, pod_name)
  ) PARTITION BY LIST (level);
${levelsOf('history_totals', ['quarter', 'hour', 'day'])}
  CREATE TABLE history_durations (
    level text NOT NULL,
    bucket_start timestamptz NOT NULL,
    trigger text NOT NULL,
    pod_name text NOT NULL,
    bin smallint NOT NULL,
    runs bigint NOT NULL,
    PRIMARY KEY (level, bucket_start, trigger, pod_name, bin)
  ) PARTITION BY LIST (level);
${levelsOf('history_durations', ['day', 'month'])}
  CREATE TABLE history_failures (
    level text NOT NULL,
    bucket_start timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('repository', 'error_code')),
    trigger text NOT NULL,
    pod_name text NOT NULL,
    -- A repository's id or an error code; empty where there was none.
    subject text NOT NULL,
    failed bigint NOT NULL, partial bigint NOT NULL, missed bigint NOT NULL,
    PRIMARY KEY (level, bucket_start, kind, trigger, pod_name, subject)
  ) PARTITION BY LIST (level);
${levelsOf('history_failures', ['day', 'month'])}
  CREATE TABLE history_state (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    rows_deleted_before timestamptz
  );
  INSERT INTO history_state DEFAULT VALUES;
  -- Finds the run in the middle, or at 95 %, once the sums have told its rank within a narrow range.
  CREATE INDEX schedule_execution_logs_duration_idx ON schedule_execution_logs (duration_seconds, queued_at)
    INCLUDE (trigger, pod_name)
    WHERE duration_seconds IS NOT NULL AND completed_at IS NOT NULL;
  CREATE INDEX schedule_execution_logs_repository_trouble_idx
    ON schedule_execution_logs (repository_id, queued_at) WHERE status IN ('failed', 'partial', 'missed');
  -- Retention keeps the newest of them.
  CREATE INDEX schedule_execution_logs_unscheduled_idx ON schedule_execution_logs (repository_id, queued_at, id)
    WHERE schedule_session_id IS NULL`;

const PENDING_COLUMNS = `queued_at, repository_id, trigger, pod_name, status, error_code, duration_seconds,
    files_processed, files_failed, chunks_upserted, chunks_deleted, embeddings_requested, embeddings_reused`;

/** Ended executions that the sums do not hold yet. Written by whatever ends one, in its own transaction. */
const PENDING = `
  CREATE TABLE history_pending (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queued_at timestamptz NOT NULL,
    repository_id uuid NOT NULL,
    trigger text NOT NULL,
    pod_name text NOT NULL,
    status text NOT NULL,
    error_code text,
    duration_seconds double precision,
    files_processed bigint NOT NULL, files_failed bigint NOT NULL,
    chunks_upserted bigint NOT NULL, chunks_deleted bigint NOT NULL,
    embeddings_requested bigint NOT NULL, embeddings_reused bigint NOT NULL
  );
  CREATE FUNCTION history_note_end() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO history_pending (${PENDING_COLUMNS})
    SELECT NEW.queued_at, NEW.repository_id, NEW.trigger, COALESCE(NEW.pod_name, ''), NEW.status, NEW.error_code,
      NEW.duration_seconds, NEW.files_processed, NEW.files_failed, NEW.chunks_upserted, NEW.chunks_deleted,
      NEW.embeddings_requested, NEW.embeddings_reused;
    RETURN NULL;
  END $$;
  CREATE TRIGGER schedule_execution_logs_inserted_ended AFTER INSERT ON schedule_execution_logs
    FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL) EXECUTE FUNCTION history_note_end();
  CREATE TRIGGER schedule_execution_logs_ended AFTER UPDATE OF completed_at ON schedule_execution_logs
    FOR EACH ROW WHEN (OLD.completed_at IS NULL AND NEW.completed_at IS NOT NULL)
    EXECUTE FUNCTION history_note_end();
  INSERT INTO history_pending (${PENDING_COLUMNS})
    SELECT ${PENDING_COLUMNS.replace('pod_name', `COALESCE(pod_name, '')`)}
    FROM schedule_execution_logs WHERE completed_at IS NOT NULL`;

const FILES = `
  CREATE TABLE execution_file_errors (
    execution_id uuid NOT NULL REFERENCES schedule_execution_logs (id) ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('failed', 'skipped')),
    error_code text NOT NULL,
    message text,
    PRIMARY KEY (execution_id, path)
  )`;

const ACCESS = `
  ALTER TABLE api_tokens ADD COLUMN created_by text, ADD COLUMN last_used_at timestamptz;
  CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    actor_role text NOT NULL,
    action text NOT NULL,
    subject_type text,
    subject_id text,
    reason text,
    request_id text NOT NULL,
    -- Null: the call did not come to its end, as when the process died in it.
    outcome text CHECK (outcome IN ('succeeded', 'refused', 'failed')),
    error_code text,
    changes jsonb
  );
  CREATE INDEX audit_log_at_idx ON audit_log (at, id);
  CREATE INDEX audit_log_subject_idx ON audit_log (subject_id, at, id) WHERE subject_id IS NOT NULL;
  CREATE INDEX audit_log_actor_idx ON audit_log (actor_id, at, id);
  CREATE TABLE pods (
    boot_id uuid PRIMARY KEY,
    pod_name text NOT NULL,
    roles text[] NOT NULL,
    version text NOT NULL,
    mode text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE TABLE idempotency_keys (
    caller text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    execution_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (caller, key)
  );
  CREATE INDEX idempotency_keys_created_idx ON idempotency_keys (created_at)`;
