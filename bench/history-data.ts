import { type Database } from '@adapters/postgres';

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

/** Fills an empty, migrated database. Rows are stored in the order of time, as in a database that grew over a year. */
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
  const indexes = await dropIndexes(db);
  const ticks = Math.ceil((workload.days * 24) / workload.hoursPerRun);
  const step = Math.ceil(ROWS_PER_STATEMENT / workload.schedules);
  let rows = 0;
  for (let tick = ticks; tick > 0; tick -= step) {
    rows += await addTicks(db, workload, tick, Math.max(tick - step, 0));
    onProgress(rows);
  }
  for (const { definition } of indexes) await db.query(definition);
  await sum(db);
  return rows;
}

/** Computes the sums of all rows at once; in production a trigger adds them row by row. */
async function sum(db: Database): Promise<void> {
  const counts = ['completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped'];
  const work = [
    ...['files_processed', 'files_failed', 'chunks_upserted', 'chunks_deleted'],
    ...['embeddings_requested', 'embeddings_reused'],
  ];
  await db.query(
    `INSERT INTO history_sums (cell, bucket_start, trigger, pod_name, subject, ${[...counts, ...work].join(', ')},
        duration_count, duration_sum, duration_max)
      SELECT c.cell, c.bucket_start, e.trigger, COALESCE(e.pod_name, ''), c.subject,
        ${counts.map((status) => `count(*) FILTER (WHERE e.status = '${status}')`).join(', ')},
        ${work.map((counter) => `sum(e.${counter})`).join(', ')},
        count(e.duration_seconds), COALESCE(sum(e.duration_seconds), 0), max(e.duration_seconds)
      FROM schedule_execution_logs AS e CROSS JOIN LATERAL history_cells(e) AS c
      WHERE e.completed_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5`,
  );
}

/** Creating the indexes at the end takes a tenth of the time of updating them row by row. */
async function dropIndexes(db: Database): Promise<{ definition: string }[]> {
  const indexes = await db.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS definition FROM pg_index
      WHERE indrelid = 'schedule_execution_logs'::regclass
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
  );
  for (const { name } of indexes) await db.query(`DROP INDEX ${name}`);
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
async function addTicks(db: Database, workload: Workload, from: number, to: number): Promise<number> {
  return db.transaction(async (tx) => {
    // Without foreign keys and triggers: the sums are computed afterwards.
    await tx.query('SET LOCAL session_replication_role = replica');
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
        INSERT INTO schedule_execution_logs (repository_id, schedule_session_id, scheduled_for, trigger, status,
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
    return row?.rows ?? 0;
  });
}
