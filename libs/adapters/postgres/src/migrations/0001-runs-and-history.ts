import { IS_QUEUED } from '../sql/fence.js';
import { QUEUE_ORDER } from '../sql/queue-order.js';

/** SQL of the initial schema: schedules, executions and what history keeps of them. */
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

/** What executions are summed by, beside trigger and pod: everything, duration bin, failing repository, error code. */
const SUMMED = [
  { kind: 'all', levels: ['quarter', 'day'], subject: `''`, by: 'e.trigger, pod' },
  { kind: 'bin', levels: ['day', 'month'], subject: 'bin', by: 'e.trigger, pod' },
  { kind: 'repository', levels: ['day', 'month'], subject: 'repository', by: 'e.trigger, pod' },
  { kind: 'error', levels: ['day', 'month'], subject: 'error', by: 'e.trigger, pod' },
  // All triggers and pods together: a range without such a filter reads a fraction of the cells.
  { kind: 'bins', levels: ['hour', 'day', 'month'], subject: 'bin', by: `'', ''` },
  { kind: 'repositories', levels: ['hour', 'day', 'week', 'month'], subject: 'repository', by: `'', ''` },
  { kind: 'errors', levels: ['hour', 'day', 'month'], subject: 'error', by: `'', ''` },
];
/** One for each subject and unit of time. */
export const cellsOf = (summed: typeof SUMMED): Cell[] =>
  summed.flatMap(({ kind, levels, subject, by }) =>
    levels.map((level) => ({
      name: `${kind}_${level}`,
      values: `('${kind}_${level}', ${level}, ${by}, ${subject})`,
    })),
  );
export const CELLS = cellsOf(SUMMED);

interface Cell {
  name: string;
  values: string;
}

/** SQL of the function that yields the cells of an execution. @param type of its argument. */
export const historyCells = (type: string, cells = CELLS): string => `CREATE FUNCTION history_cells(e ${type})
    RETURNS TABLE (cell text, bucket_start timestamptz, trigger text, pod_name text, subject text)
    LANGUAGE sql STABLE AS $$
    WITH unit AS (
      SELECT date_bin('15 minutes', e.queued_at, '2000-01-01 00:00:00+00') AS quarter,
        date_trunc('hour', e.queued_at, 'UTC') AS hour, date_trunc('day', e.queued_at, 'UTC') AS day,
        date_bin('7 days', e.queued_at, '1970-01-01 00:00:00+00') AS week, date_trunc('month', e.queued_at, 'UTC') AS month,
        history_bin(e.duration_seconds)::text AS bin, COALESCE(e.pod_name, '') AS pod,
        e.status IN ('failed', 'partial', 'missed') AS is_failure
    ), failure AS (
      SELECT CASE WHEN is_failure THEN e.repository_id::text END AS repository,
        CASE WHEN is_failure THEN COALESCE(e.error_code, '') END AS error FROM unit
    )
    SELECT c.* FROM unit, failure CROSS JOIN LATERAL (VALUES ${cells.map(({ values }) => values).join(', ')}
    ) AS c (cell, bucket_start, trigger, pod_name, subject) WHERE c.subject IS NOT NULL
  $$`;

export const ENDS = ['completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped'];
export const COUNTERS = [
  ...['files_processed', 'files_failed', 'chunks_upserted', 'chunks_deleted'],
  ...['embeddings_requested', 'embeddings_reused'],
];
/** Columns of `history_sums` with their values for an execution `NEW`. */
const SUMS = {
  ...Object.fromEntries(ENDS.map((status) => [status, `(NEW.status = '${status}')::int`])),
  ...Object.fromEntries(COUNTERS.map((counter) => [counter, `NEW.${counter}`])),
  duration_count: '(NEW.duration_seconds IS NOT NULL)::int',
};

export const HISTORY = `
  -- Sums of ended executions by the time (UTC) at which they were queued. pod_name is empty where there was no pod; subject is
  -- a bin, a repository's id or an error code. One partition for each cell: in one heap the few cells of a long unit of time
  -- would be scattered among the many of a short one. See docs/decisions/2026-11-21-history-sums.md.
  CREATE TABLE history_sums (
    cell text NOT NULL, bucket_start timestamptz NOT NULL, trigger text NOT NULL, pod_name text NOT NULL,
    subject text COLLATE "C" NOT NULL,
    ${Object.keys(SUMS)
      .map((column) => `${column} bigint NOT NULL,`)
      .join(' ')}
    duration_sum double precision NOT NULL, duration_max double precision,
    -- Ends are only inserted: no run waits for the sums of another. A chore merges them into the row with number 0.
    addition bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (cell, bucket_start, trigger, pod_name, subject, addition)
  ) PARTITION BY LIST (cell);
  CREATE INDEX history_sums_unmerged_idx ON history_sums (addition) WHERE addition <> 0;
  CREATE SEQUENCE history_addition_seq;
  ${CELLS.map(({ name }) => `CREATE TABLE history_${name} PARTITION OF history_sums FOR VALUES IN ('${name}');`).join('\n  ')}
  -- Whose runs failed most: thousands of repositories in each unit of time.
  ${['hour', 'day', 'week', 'month'].map((level) => `CREATE INDEX ON history_repositories_${level} (cell, bucket_start) INCLUDE (subject, failed, partial, missed);`).join('\n  ')}
  CREATE TABLE history_state (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    rows_deleted_before timestamptz
  );
  INSERT INTO history_state DEFAULT VALUES;
  -- Neighbouring bins differ by 2 %, so the geometric middle of a bin is off by 1 % at most.
  CREATE FUNCTION history_bin(seconds double precision) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT floor(ln(GREATEST(seconds, 0.001)) / ln(1.02::double precision))::integer
  $$;
  ${historyCells('schedule_execution_logs')};
  CREATE FUNCTION execution_ended() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO history_sums (cell, bucket_start, trigger, pod_name, subject, ${Object.keys(SUMS).join(', ')},
      duration_sum, duration_max, addition)
    SELECT c.cell, c.bucket_start, c.trigger, c.pod_name, c.subject, ${Object.values(SUMS).join(', ')},
      COALESCE(NEW.duration_seconds, 0), NEW.duration_seconds, addition
    FROM nextval('history_addition_seq') AS addition, history_cells(NEW) AS c;
    -- A sync that failed is not repeated without a request, and one that reached its budget continues at the next tick: both
    -- remove the wish for a check. A completed one has removed it with the pointer, unless the doubt is newer than its start.
    IF NEW.handler = 'repository_sync' AND (
      NEW.status IN ('failed', 'cancelled') OR NEW.error_code IN ('budget_reached', 'time_budget_reached')) THEN
      UPDATE repository_indexes SET suspect_since = NULL
        WHERE repository_id = NEW.repository_id AND suspect_since IS NOT NULL;
    END IF;
    RETURN NULL;
  END $$;
  -- An end that moves the row to a partition of a month is an insert there.
  CREATE TRIGGER schedule_execution_logs_inserted_ended AFTER INSERT ON schedule_execution_logs
    FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL AND current_setting('repotide.moves_ended', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION execution_ended();
  CREATE TRIGGER schedule_execution_logs_ended AFTER UPDATE OF completed_at ON schedule_execution_logs
    FOR EACH ROW WHEN (OLD.completed_at IS NULL AND NEW.completed_at IS NOT NULL) EXECUTE FUNCTION execution_ended();
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
