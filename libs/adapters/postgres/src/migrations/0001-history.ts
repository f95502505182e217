import { afterEnd } from './0001-executions.js';

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
  { kind: 'totals', levels: ['quarter', 'day'], subject: `''`, by: `'', ''` },
];
/** One for each subject and unit of time. */
const CELLS = SUMMED.flatMap(({ kind, levels, subject, by }) =>
  levels.map((level) => ({
    name: `${kind}_${level}`,
    values: `('${kind}_${level}', ${level}, ${by}, ${subject})`,
  })),
);
const KEY = 'cell, bucket_start, trigger, pod_name, subject';

const ENDS = ['completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped'];
const COUNTERS = [
  ...['files_processed', 'files_failed', 'chunks_upserted', 'chunks_deleted'],
  ...['embeddings_requested', 'embeddings_reused'],
];
/** What the sums need to know of an execution. */
const FACTS = [
  ...['queued_at', 'trigger', 'pod_name', 'repository_id', 'status', 'error_code', 'duration_seconds'],
  ...COUNTERS,
];
/** Columns of `history_sums` with their values for the additions of a cell. */
const SUMS = {
  ...Object.fromEntries(ENDS.map((status) => [status, `count(*) FILTER (WHERE status = '${status}')`])),
  ...Object.fromEntries(COUNTERS.map((counter) => [counter, `sum(${counter})`])),
  duration_count: 'count(duration_seconds)',
  duration_sum: 'COALESCE(sum(duration_seconds), 0)',
};

/** SQL of the initial schema: what history keeps of the executions. */
export const HISTORY = `
  -- Sums of ended executions by the time (UTC) at which they were queued. pod_name is empty where there was no pod; subject is
  -- a bin, a repository's id or an error code. One partition for each cell: in one heap the few cells of a long unit of time
  -- would be scattered among the many of a short one. See docs/decisions/2026-11-21-history-sums.md.
  CREATE TABLE history_sums (
    cell text NOT NULL, bucket_start timestamptz NOT NULL, trigger text NOT NULL, pod_name text NOT NULL,
    subject text COLLATE "C" NOT NULL,
    ${[...ENDS, ...COUNTERS, 'duration_count'].map((column) => `${column} bigint NOT NULL,`).join(' ')}
    duration_sum double precision NOT NULL, duration_max double precision,
    PRIMARY KEY (${KEY})
  ) PARTITION BY LIST (cell);
  ${CELLS.map(({ name }) => `CREATE TABLE history_${name} PARTITION OF history_sums FOR VALUES IN ('${name}');`).join('\n  ')}
  -- Whose runs failed most: thousands of repositories in each unit of time.
  ${['hour', 'day', 'week', 'month'].map((level) => `CREATE INDEX ON history_repositories_${level} (cell, bucket_start) INCLUDE (subject, failed, partial, missed);`).join('\n  ')}
  -- Ends are only inserted: no run waits for the sums of another. A chore merges them into the sums.
  CREATE TABLE history_additions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queued_at timestamptz NOT NULL, trigger text NOT NULL, pod_name text, repository_id uuid NOT NULL,
    status text NOT NULL, error_code text, duration_seconds double precision,
    ${COUNTERS.map((counter) => `${counter} bigint NOT NULL`).join(', ')}
  );
  CREATE TABLE history_state (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    rows_deleted_before timestamptz
  );
  INSERT INTO history_state DEFAULT VALUES;
  -- Neighbouring bins differ by 2 %, so the geometric middle of a bin is off by 1 % at most.
  CREATE FUNCTION history_bin(seconds double precision) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT floor(ln(GREATEST(seconds, 0.001)) / ln(1.02::double precision))::integer
  $$;
  CREATE FUNCTION history_cells(e history_additions)
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
    SELECT c.* FROM unit, failure CROSS JOIN LATERAL (VALUES ${CELLS.map(({ values }) => values).join(', ')}
    ) AS c (cell, bucket_start, trigger, pod_name, subject) WHERE c.subject IS NOT NULL
  $$;
  -- Two callers at the same time take different rows. The order of the keys prevents deadlocks.
  CREATE FUNCTION merge_history(most integer) RETURNS bigint LANGUAGE sql AS $$
    WITH taken AS (
      DELETE FROM history_additions WHERE id IN (
        SELECT id FROM history_additions ORDER BY id LIMIT most FOR UPDATE SKIP LOCKED)
      RETURNING *
    ), merged AS (
      INSERT INTO history_sums AS s (${KEY}, ${Object.keys(SUMS).join(', ')}, duration_max)
      SELECT c.*, ${Object.values(SUMS).join(', ')}, max(duration_seconds)
      FROM taken CROSS JOIN LATERAL history_cells(ROW(taken.*)::history_additions) AS c
      GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT (${KEY}) DO UPDATE SET
        ${Object.keys(SUMS)
          .map((column) => `${column} = s.${column} + excluded.${column}`)
          .join(', ')},
        duration_max = GREATEST(s.duration_max, excluded.duration_max)
    ) SELECT count(*) FROM taken
  $$;
  CREATE FUNCTION execution_ended() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO history_additions (${FACTS.join(', ')})
      VALUES (${FACTS.map((fact) => `NEW.${fact}`).join(', ')});
    -- A sync that failed is not repeated without a request, and one that reached its budget continues at the next tick:
    -- both remove the wish for a check. A completed one has removed it with the pointer, unless the doubt is newer than
    -- its start.
    IF NEW.handler = 'repository_sync' AND (
      NEW.status IN ('failed', 'cancelled') OR NEW.error_code IN ('budget_reached', 'time_budget_reached')) THEN
      UPDATE repository_indexes SET suspect_since = NULL
        WHERE repository_id = NEW.repository_id AND suspect_since IS NOT NULL;
    END IF;
    RETURN NULL;
  END $$;
  ${afterEnd('ended', 'execution_ended')}`;
