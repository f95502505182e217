import { type Database } from '@adapters/postgres';

/** Hourly runs of all repositories over the last week; every call returns the same runs. */
export async function addHistory(database: Database): Promise<void> {
  await database.query(`
    WITH owners AS (
      SELECT repositories.id, schedules.id AS schedule_id, row_number() OVER (ORDER BY repositories.created_at) AS n
      FROM repositories LEFT JOIN schedule_sessions AS schedules ON repository_id = repositories.id
    ), hours AS (
      SELECT h, date_trunc('hour', now()) - h * interval '1 hour' AS at FROM generate_series(2, 168) AS h
    ), ends AS (
      SELECT *, CASE WHEN (h + n * 5) % 23 = 0 AND extract(hour FROM at) BETWEEN 1 AND 9 THEN 'failed'
          WHEN (h * n) % 41 = 7 THEN 'partial'
          WHEN (h + n) % 47 = 3 AND schedule_id IS NOT NULL THEN 'missed' ELSE 'completed' END AS status,
        (h % 24 = 5)::int AS is_busy
      FROM owners CROSS JOIN hours
    ), work AS (
      SELECT *, CASE status WHEN 'missed' THEN 0 ELSE (4 + (h * 7 + n * 13) % 29 + 60 * is_busy)::int END AS files,
        CASE status WHEN 'missed' THEN NULL ELSE 2.5 + (h * 5 + n * 3) % 17 + 35 * is_busy END AS seconds,
        (status = 'partial')::int AS failures
      FROM ends
    )
    INSERT INTO schedule_execution_logs (repository_id, schedule_session_id, scheduled_for, trigger, status, pod_name,
      queued_at, started_at, completed_at, duration_seconds, files_processed, files_added, files_modified, files_failed,
      chunks_upserted, chunks_deleted, embeddings_requested, embeddings_reused, source_requests, bytes_fetched,
      error_code, error_message)
    SELECT id, schedule_id, CASE WHEN schedule_id IS NOT NULL THEN at END,
      CASE WHEN schedule_id IS NOT NULL THEN 'cron' WHEN h % 7 = 0 THEN 'manual' ELSE 'webhook' END, status,
      CASE WHEN seconds IS NOT NULL THEN 'repotide-' || h % 3 END,
      at, CASE WHEN seconds IS NOT NULL THEN at END, at + coalesce(seconds, 0) * interval '1 second', seconds,
      files, files / 3, files - files / 3 - failures, failures,
      files * 3, files, files * 2, files, files / 2, files * 2900,
      CASE status WHEN 'failed' THEN 'source_unavailable' WHEN 'partial' THEN 'files_failed'
        WHEN 'missed' THEN 'misfire_grace_exceeded' END,
      CASE status WHEN 'failed' THEN 'GitLab does not answer.' WHEN 'partial' THEN '1 file failed.' END
    FROM work`);
}

/** A rebuild that is half done, because one of two repositories has no sync yet, and a retired generation. */
export async function addGenerations(database: Database, doneRepositoryId: string): Promise<void> {
  await database.query(
    `WITH building AS (
      INSERT INTO index_generations (collection_name, physical_name, model_id, dimensions, status)
        SELECT r.collection_name, r.collection_name || '--next', 'text-embedding-3-small@1536', 1536, 'building'
        FROM repositories r WHERE r.id = $1 RETURNING id
    ), retired AS (
      INSERT INTO index_generations
          (collection_name, physical_name, model_id, dimensions, status, activated_at, retired_at)
        SELECT r.collection_name, r.collection_name || '--former', 'code-search-v0@256', 256, 'retired',
          clock_timestamp() - interval '30 days', clock_timestamp() - interval '1 hour'
        FROM repositories r WHERE r.id = $1
    )
    INSERT INTO repository_indexes (repository_id, generation_id, last_synced_commit, last_sync_at)
      SELECT $1, id, 'made-up', clock_timestamp() FROM building`,
    [doneRepositoryId],
  );
}
