import { IS_QUEUED } from '../sql/fence.js';
import { QUEUE_ORDER } from '../sql/queue-order.js';

/** SQL of the initial schema: schedules, executions, their progress and their files. */
export const SCHEDULES = `
  CREATE TABLE schedule_sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    repository_id uuid NOT NULL REFERENCES repositories (id),
    cron_expression text NOT NULL, timezone text NOT NULL DEFAULT 'UTC',
    is_active boolean NOT NULL DEFAULT true,
    misfire_grace_seconds integer NOT NULL DEFAULT 300 CHECK (misfire_grace_seconds >= 0),
    max_embedding_tokens_per_run bigint CHECK (max_embedding_tokens_per_run > 0),
    max_embedding_tokens_per_day bigint CHECK (max_embedding_tokens_per_day > 0),
    time_budget_seconds integer CHECK (time_budget_seconds >= 0),
    catch_up text NOT NULL DEFAULT 'latest' CHECK (catch_up IN ('latest', 'none')),
    -- The latest tick that has a row. Whether an earlier one has a row is looked up before it is claimed.
    claimed_through timestamptz,
    next_run_at timestamptz, last_sync_at timestamptz, revision integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CHECK (next_run_at IS NULL OR is_active)
  );
  CREATE INDEX schedule_sessions_due_idx ON schedule_sessions (next_run_at, id) WHERE is_active AND deleted_at IS NULL;
  CREATE INDEX schedule_sessions_repository_idx ON schedule_sessions (repository_id)`;

export const EXECUTIONS = `
  -- Since when pods reach this database without a gap: before that a missing heartbeat proves nothing.
  CREATE TABLE database_reached (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(), since timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  INSERT INTO database_reached DEFAULT VALUES;
  -- Grows with each attempt of any run; every write of a run carries its value.
  CREATE SEQUENCE execution_fence_seq;
  -- An execution without an end is in the small default partition, whatever the size of the history. Its end moves the row to
  -- the month of completed_at. See docs/decisions/2026-11-22-partitions.md.
  CREATE TABLE schedule_execution_logs (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    schedule_session_id uuid REFERENCES schedule_sessions (id),
    repository_id uuid NOT NULL REFERENCES repositories (id),
    trigger text NOT NULL CHECK (trigger IN ('cron', 'manual', 'webhook', 'recovery')),
    -- The code alone knows the handlers: a new one needs no migration.
    handler text NOT NULL DEFAULT 'repository_sync', scheduled_for timestamptz,
    status text NOT NULL CHECK (status IN
      ('queued', 'running', 'completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped')),
    attempt integer NOT NULL DEFAULT 1 CHECK (attempt >= 1), fence bigint NOT NULL DEFAULT 0, pod_name text,
    requested_by text, full_sync boolean NOT NULL DEFAULT false,
    max_embedding_tokens bigint CHECK (max_embedding_tokens > 0),
    retry_of_execution_id uuid, queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    available_at timestamptz, interruptions integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0, started_at timestamptz,
    heartbeat_at timestamptz, completed_at timestamptz, duration_seconds double precision,
    files_processed bigint NOT NULL DEFAULT 0, files_added bigint NOT NULL DEFAULT 0,
    files_modified bigint NOT NULL DEFAULT 0, files_renamed bigint NOT NULL DEFAULT 0,
    files_deleted bigint NOT NULL DEFAULT 0, files_skipped bigint NOT NULL DEFAULT 0,
    files_failed bigint NOT NULL DEFAULT 0, chunks_upserted bigint NOT NULL DEFAULT 0,
    chunks_deleted bigint NOT NULL DEFAULT 0, embeddings_requested bigint NOT NULL DEFAULT 0,
    embedding_tokens bigint NOT NULL DEFAULT 0, embeddings_reused bigint NOT NULL DEFAULT 0,
    source_requests bigint NOT NULL DEFAULT 0, source_retries bigint NOT NULL DEFAULT 0,
    bytes_fetched bigint NOT NULL DEFAULT 0, rate_limited_seconds bigint NOT NULL DEFAULT 0, from_commit text,
    to_commit text, fetch_strategy text, report jsonb, coalesced_count integer NOT NULL DEFAULT 0,
    -- A row may stand for a backlog of ticks, from scheduled_for to scheduled_until.
    scheduled_until timestamptz, satisfied_by uuid,
    cancel_requested_at timestamptz, error_code text, error_message text,
    CHECK ((trigger = 'cron') = (schedule_session_id IS NOT NULL AND scheduled_for IS NOT NULL)),
    CHECK ((status IN ('queued', 'running')) = (completed_at IS NULL))
  ) PARTITION BY RANGE (completed_at);
  CREATE TABLE schedule_execution_logs_live PARTITION OF schedule_execution_logs (PRIMARY KEY (id)) DEFAULT;
  -- G2: whatever becomes of leases, one run per repository writes. A dry run only reads.
  CREATE UNIQUE INDEX schedule_execution_logs_running_key
    ON schedule_execution_logs_live (repository_id) WHERE status = 'running' AND handler <> 'dry_run';
  -- A take reads the head of the queue, however long it is.
  CREATE INDEX schedule_execution_logs_queue_idx ON schedule_execution_logs_live (${QUEUE_ORDER}, id)
    WHERE ${IS_QUEUED};
  -- Whether a repository is busy; the reaper.
  CREATE INDEX schedule_execution_logs_live_idx ON schedule_execution_logs_live (repository_id)
    WHERE completed_at IS NULL;
  -- Lists, exports, and the ends of ranges of the history.
  CREATE INDEX schedule_execution_logs_queued_idx ON schedule_execution_logs (queued_at, id);
  -- Lists and history of one repository; its last verification; retention keeps its newest.
  CREATE INDEX schedule_execution_logs_repository_idx ON schedule_execution_logs (repository_id, queued_at, id)
    INCLUDE (status, completed_at);
  -- The same for one schedule.
  CREATE INDEX schedule_execution_logs_schedule_idx ON schedule_execution_logs (schedule_session_id, queued_at, id)
    INCLUDE (status, completed_at) WHERE schedule_session_id IS NOT NULL;
  -- Lists with a status or a trigger that few rows have.
  CREATE INDEX schedule_execution_logs_unusual_idx
    ON schedule_execution_logs (queued_at, id) INCLUDE (status, trigger, completed_at)
    WHERE status <> 'completed' OR trigger <> 'cron';
  -- Lists of one pod.
  CREATE INDEX schedule_execution_logs_pod_idx
    ON schedule_execution_logs (pod_name, queued_at, id) WHERE pod_name IS NOT NULL;
  -- Lists by start.
  CREATE INDEX schedule_execution_logs_started_idx
    ON schedule_execution_logs (started_at DESC NULLS LAST, id DESC);
  -- Finds the run of a percentile, once the sums have narrowed the range of durations that holds it.
  CREATE INDEX schedule_execution_logs_duration_idx ON schedule_execution_logs (duration_seconds, queued_at)
    INCLUDE (trigger, pod_name, completed_at)
    WHERE duration_seconds IS NOT NULL AND completed_at IS NOT NULL;
  -- Sent with the commit that queues an execution: idle workers wake at once. A lost one costs a poll interval.
  CREATE FUNCTION notify_work_queued() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('repotide_hints', '{"kind":"work_queued"}');
      RETURN NULL;
    END $$;
  CREATE TRIGGER schedule_execution_logs_queued_trigger
    AFTER INSERT OR UPDATE OF status ON schedule_execution_logs
    FOR EACH ROW WHEN (NEW.status = 'queued') EXECUTE FUNCTION notify_work_queued();
  -- Live progress without Redis: the latest state of each task, and its last events.
  CREATE UNLOGGED TABLE progress_tasks (
    task_id uuid PRIMARY KEY,
    user_id text, status text NOT NULL, task json NOT NULL,
    -- The id of its last event, and the number of its events.
    ms bigint NOT NULL, number integer NOT NULL DEFAULT 0, events bigint NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  ) WITH (fillfactor = 50);
  CREATE UNLOGGED TABLE progress_events (
    task_id uuid NOT NULL, position bigint NOT NULL, ms bigint NOT NULL, number integer NOT NULL, task json NOT NULL,
    PRIMARY KEY (task_id, position)
  );
  CREATE TABLE execution_file_errors (
    execution_id uuid NOT NULL,
    path text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('failed', 'skipped')),
    error_code text NOT NULL, message text, recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (execution_id, path)
  );
  CREATE INDEX execution_file_errors_recorded_idx ON execution_file_errors (recorded_at);
  CREATE TABLE execution_file_errors_long (
    path_sha256 bytea NOT NULL,
    PRIMARY KEY (execution_id, path_sha256)
  ) INHERITS (execution_file_errors);
  CREATE INDEX execution_file_errors_long_recorded_idx ON execution_file_errors_long (recorded_at)`;

/** Months of ended executions; three are made ahead. After the triggers of the executions, because partitions take them over. */
export const MONTHS = `
  -- Also moves the rows that ended in this month before it had a partition.
  CREATE FUNCTION add_execution_month(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    first timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
    since timestamptz := first AT TIME ZONE 'UTC';
    until timestamptz := (first + interval '1 month') AT TIME ZONE 'UTC';
    name text := 'schedule_execution_logs_' || to_char(first, 'YYYY_MM');
  BEGIN
    IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
    EXECUTE format('CREATE TABLE %I (LIKE schedule_execution_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
      PRIMARY KEY (id))', name);
    EXECUTE format('WITH moved AS (
        DELETE FROM schedule_execution_logs_live WHERE completed_at >= $1 AND completed_at < $2 RETURNING *)
      INSERT INTO %I SELECT * FROM moved', name) USING since, until;
    EXECUTE format('ALTER TABLE schedule_execution_logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, since, until);
  END $$;
  SELECT add_execution_month(now() + n * interval '1 month') FROM generate_series(0, 3) AS n`;

/**
 * Two triggers that call a function when an execution ends. An end that moves the row to the partition of a month is an insert
 * there. Retention moves ended rows too, and sets `repotide.moves_ended` then.
 * @param isWanted SQL about NEW: the ends that call it. Default: all.
 */
export function afterEnd(name: string, calls: string, isWanted?: string): string {
  const isEnd = `NEW.completed_at IS NOT NULL${isWanted === undefined ? '' : ` AND ${isWanted}`}`;
  return `
  CREATE TRIGGER schedule_execution_logs_inserted_${name} AFTER INSERT ON schedule_execution_logs
    FOR EACH ROW WHEN (${isEnd} AND current_setting('repotide.moves_ended', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION ${calls}();
  CREATE TRIGGER schedule_execution_logs_${name} AFTER UPDATE OF completed_at ON schedule_execution_logs
    FOR EACH ROW WHEN (OLD.completed_at IS NULL AND ${isEnd}) EXECUTE FUNCTION ${calls}();`;
}
