import { type Database } from '@adapters/postgres';

type Queryable = Pick<Database, 'query'>;

/** Schedules that ran over some days, and some manual runs and runs after pushes. */
export interface Workload {
  schedules: number;
  days: number;
  /** Between two runs of a schedule. */
  hoursPerRun: number;
  /** Runs without a schedule, per repository and day. */
  unscheduledPerDay: number;
  end: Date;
}

const ROWS_PER_STATEMENT = 100_000;

/**
 * Fills an empty, migrated database. Rows are stored in the order of time, as in a database that grew over a year. One
 * transaction truncates and fills the tables: with `wal_level = minimal` that writes no WAL.
 */
export async function generate(
  db: Database,
  workload: Workload,
  onProgress: (rows: number) => void,
): Promise<number> {
  await addOwners(db, workload.schedules);
  await db.query(
    `SELECT add_execution_month($1::timestamptz - n * interval '1 day') FROM generate_series(0, $2::int) AS n`,
    [workload.end, workload.days],
  );
  return db.transaction(async (tx) => {
    for (const statement of PREPARE) await tx.query(statement);
    const indexes = await dropIndexes(tx);
    const ticks = Math.ceil((workload.days * 24) / workload.hoursPerRun);
    const step = Math.ceil(ROWS_PER_STATEMENT / workload.schedules);
    let rows = 0;
    for (let tick = ticks; tick > 0; tick -= step) {
      rows += await addTicks(tx, workload, tick, Math.max(tick - step, 0));
      onProgress(rows);
    }
    for (const { definition } of indexes) await tx.query(definition);
    await addSums(tx);
    return rows;
  });
}

const ENDS = ['completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped'];
const WORK = [
  ...['files_processed', 'files_failed', 'chunks_upserted', 'chunks_deleted'],
  ...['embeddings_requested', 'embeddings_reused'],
];
/** A row of `history_additions`, in the order of its columns. */
const ADDITION = `ROW(NULL, e.queued_at, e.trigger, e.pod_name, e.repository_id, e.status, e.error_code, e.duration_seconds,
  ${WORK.map((counter) => `e.${counter}`).join(', ')})::history_additions`;
const KEY = 'cell, bucket_start, trigger, pod_name, subject';
const SUMS = [...ENDS, ...WORK, 'duration_count', 'duration_sum', 'duration_max'];

const PREPARE = [
  // Foreign keys and triggers are off: the sums are computed here.
  'SET LOCAL session_replication_role = replica',
  `SET LOCAL maintenance_work_mem = '512MB'`,
  `SET LOCAL work_mem = '256MB'`,
  `SET LOCAL temp_buffers = '256MB'`,
  'SET LOCAL jit = off',
  'TRUNCATE schedule_execution_logs, history_sums',
  'CREATE TEMPORARY TABLE batch (LIKE schedule_execution_logs INCLUDING DEFAULTS) ON COMMIT DROP',
  `CREATE TEMPORARY TABLE batch_sums ON COMMIT DROP AS SELECT ${KEY}, ${SUMS.join(', ')} FROM history_sums`,
];

/** The sums of one batch: a day has few of them, so that adding them up at the end is quick. */
const SUM_BATCH = `
  INSERT INTO batch_sums (${KEY}, ${SUMS.join(', ')})
    SELECT c.cell, c.bucket_start, c.trigger, c.pod_name, c.subject,
      ${ENDS.map((status) => `count(*) FILTER (WHERE e.status = '${status}')`).join(', ')},
      ${WORK.map((counter) => `sum(e.${counter})`).join(', ')},
      count(e.duration_seconds), COALESCE(sum(e.duration_seconds), 0), max(e.duration_seconds)
    FROM batch AS e CROSS JOIN LATERAL history_cells(${ADDITION}) AS c GROUP BY 1, 2, 3, 4, 5`;

/** In production a trigger adds the sums row by row. */
async function addSums(tx: Queryable): Promise<void> {
  await tx.query(
    `INSERT INTO history_sums (${KEY}, ${SUMS.join(', ')})
      SELECT ${KEY}, ${SUMS.map((sum) => `${sum === 'duration_max' ? 'max' : 'sum'}(${sum})`).join(', ')}
      FROM batch_sums GROUP BY ${KEY}`,
  );
}

/** Creating the indexes at the end takes a tenth of the time of updating them row by row. */
async function dropIndexes(tx: Queryable): Promise<{ definition: string }[]> {
  const indexes = await tx.query<{ drop: string; definition: string }>(
    `SELECT 'DROP INDEX ' || indexrelid::regclass AS drop,
        replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS definition
      FROM pg_index WHERE indrelid = 'schedule_execution_logs'::regclass
    UNION ALL
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE contype = 'p'
        AND conrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'schedule_execution_logs'::regclass)`,
  );
  for (const { drop } of indexes) await tx.query(drop);
  return indexes;
}

async function addOwners(db: Database, count: number): Promise<void> {
  await db.query(
    `INSERT INTO repositories (provider, base_url, project_id, project_path, branch, collection_name,
        max_file_bytes, chunk_size, chunk_overlap)
      SELECT 'gitlab', 'https://gitlab.example.com', n, 'group/project-' || n, 'main', 'code', 1048576, 7000, 1500
      FROM generate_series(1, $1::int) AS n`,
    [count],
  );
  await db.query(
    `INSERT INTO schedule_sessions (repository_id, cron_expression, is_active)
      SELECT id, '0 * * * *', false FROM repositories`,
  );
}

/** Ticks are counted back from the end. One in thirty runs fails or is partial; durations range from 0.1 s to 20 min. */
async function addTicks(tx: Queryable, workload: Workload, from: number, to: number): Promise<number> {
  await tx.query('TRUNCATE batch');
  const [row] = await tx.query<{ rows: number }>(
    `WITH slot AS (
        SELECT s.id AS schedule_id, s.repository_id, h, 'cron' AS trigger
        FROM generate_series($2::int + 1, $1::int) AS h CROSS JOIN schedule_sessions AS s
        UNION ALL
        SELECT NULL, r.id, h, CASE WHEN random() < 0.7 THEN 'webhook' ELSE 'manual' END
        FROM generate_series($2::int + 1, $1::int) AS h CROSS JOIN repositories AS r WHERE random() < $4::float8 * $5::float8 / 24
      ), drawn AS (
        SELECT slot.*, $3::timestamptz - h * $5::float8 * interval '1 hour' AS tick, random() AS r, random() AS d, random() AS p,
          random() * interval '58 minutes' AS delay
        FROM slot
      ), made AS (
        SELECT *, CASE WHEN r < 0.945 THEN 'completed' WHEN r < 0.955 THEN 'partial' WHEN r < 0.975 THEN 'failed'
            WHEN r < 0.98 THEN 'cancelled' WHEN r < 0.99 THEN 'missed' ELSE 'skipped' END AS status,
          CASE WHEN trigger = 'cron' THEN tick + interval '1 second' * d ELSE tick + delay END AS queued_at,
          exp(sqrt(-2 * ln(GREATEST(d, 1e-9))) * cos(2 * pi() * p) * 1.4 + 2) AS seconds
        FROM drawn
      ), added AS (
        INSERT INTO batch (repository_id, schedule_session_id, scheduled_for, trigger, status,
          pod_name, fence, queued_at, started_at, heartbeat_at, completed_at, duration_seconds, files_processed,
          files_modified, files_failed, chunks_upserted, chunks_deleted, embeddings_requested, embeddings_reused,
          source_requests, bytes_fetched, from_commit, to_commit, error_code, error_message)
        SELECT repository_id, schedule_id, CASE trigger WHEN 'cron' THEN tick END, trigger, status,
          CASE WHEN status NOT IN ('missed', 'skipped') THEN
            'repotide-' || to_char(queued_at, 'YYYYMM') || '-' || floor(p * 5) END,
          h, queued_at, queued_at, queued_at, queued_at + interval '1 second' * seconds,
          CASE WHEN status NOT IN ('missed', 'skipped') THEN seconds END,
          (d * 20)::int, (d * 20)::int, (status = 'partial')::int, (p * 100)::int, (p * 50)::int, (p * 60)::int,
          (p * 40)::int, 3, (p * 100000)::int, md5(h::text), md5((h - 1)::text),
          CASE WHEN status IN ('failed', 'missed') THEN 'code_' || floor(p * 12) END,
          CASE WHEN status IN ('failed', 'missed') THEN 'What was found, what was expected and what to change.' END
        FROM made ORDER BY queued_at RETURNING 1
      ) SELECT count(*) AS rows FROM added`,
    [from, to, workload.end, workload.unscheduledPerDay, workload.hoursPerRun],
  );
  await tx.query('ANALYZE batch');
  await tx.query(SUM_BATCH);
  await tx.query('INSERT INTO schedule_execution_logs SELECT * FROM batch');
  return row?.rows ?? 0;
}
