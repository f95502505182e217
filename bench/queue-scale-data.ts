import { type Database } from '@adapters/postgres';
import { generate } from './history-data.js';

export interface Size {
  repositories: number;
  /** Files of each repository; only the first thousand repositories have files. */
  manifestRows: number;
  executions: number;
  /** The time over which the executions are spread. */
  days: number;
  queued: number;
  running: number;
}

const UNSCHEDULED_SHARE = 0.03;

/** Fills an empty, migrated database with executions, a queue, running runs and a manifest. */
export async function fill(db: Database, size: Size, onProgress: (rows: number) => void): Promise<void> {
  const perDay = size.executions / size.repositories / size.days;
  const workload = {
    schedules: size.repositories,
    days: size.days,
    hoursPerRun: 24 / (perDay * (1 - UNSCHEDULED_SHARE)),
    unscheduledPerDay: perDay * UNSCHEDULED_SHARE,
    end: new Date(),
  };
  await generate(db, workload, onProgress);
  await addIndexes(db, size);
  await addLive(db, size);
  await db.query('VACUUM ANALYZE');
}

/** Every index is dirty: the worst case for the search of those that need a check. */
async function addIndexes(db: Database, { manifestRows }: Size): Promise<void> {
  await db.query(
    `INSERT INTO index_generations (collection_name, physical_name, model_id, dimensions, status, incarnation)
      VALUES ('code', 'code_1', 'bench', 8, 'active', 'bench')`,
  );
  await db.query(
    `INSERT INTO repository_indexes (repository_id, generation_id, last_synced_commit, last_sync_at, index_fingerprint,
        index_dirty, last_verified_at)
      SELECT r.id, g.id, md5(r.id::text), now() - random() * interval '1 day', 'f', true,
        now() - random() * interval '6 days'
      FROM repositories r, index_generations g`,
  );
  await db.query(
    `INSERT INTO repository_files (repository_id, generation_id, path, mode, blob_sha, fingerprint, size_bytes,
        chunk_count, indexed_at)
      SELECT r.id, g.id, 'src/module-' || n || '/file.ts', '100644', md5(n::text), 'f', 1000, 1, now()
      FROM (SELECT id FROM repositories ORDER BY id LIMIT 1000) r, index_generations g, generate_series(1, $1::int) n`,
    [manifestRows],
  );
}

async function addLive(db: Database, { queued, running }: Size): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(
      `INSERT INTO schedule_execution_logs (repository_id, trigger, status, pod_name, fence, queued_at, started_at,
          heartbeat_at)
        SELECT id, 'webhook', CASE WHEN n <= $1 THEN 'running' ELSE 'queued' END,
          CASE WHEN n <= $1 THEN 'repotide-' || n % 50 END,
          CASE WHEN n <= $1 THEN nextval('execution_fence_seq') ELSE 0 END, now() - n * interval '10 ms',
          CASE WHEN n <= $1 THEN now() END, CASE WHEN n <= $1 THEN now() END
        FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM repositories) AS r WHERE n <= $1::int + $2::int`,
      [running, queued],
    );
  });
}

/** Makes some schedules due whose repositories are idle. */
export async function makeDue(db: Database, count: number, cron: string, since: string): Promise<void> {
  await db.query(
    `UPDATE schedule_sessions SET is_active = true, cron_expression = $2, next_run_at =
        date_trunc('minute', clock_timestamp() - $3::interval)
      WHERE id IN (SELECT s.id FROM schedule_sessions s
        WHERE NOT s.is_active AND NOT EXISTS (SELECT FROM schedule_execution_logs e
          WHERE e.repository_id = s.repository_id AND e.completed_at IS NULL)
        ORDER BY s.id LIMIT $1)`,
    [count, cron, since],
  );
}
