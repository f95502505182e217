import { addRepository, type Stores } from './fixtures.js';

/** Two repositories, with one and two schedules. */
export async function addOwners(stores: Stores): Promise<{ repositoryId: string; scheduleId: string }> {
  const { id: repositoryId } = await addRepository(stores);
  const { id: otherId } = await addRepository(stores);
  const schedule = {
    cronExpression: '0 * * * *',
    timezone: 'UTC',
    isActive: false,
    misfireGraceSeconds: 300,
  };
  const [first] = [
    await stores.schedules.create({ ...schedule, repositoryId }, () => null),
    await stores.schedules.create({ ...schedule, repositoryId: otherId }, () => null),
    await stores.schedules.create({ ...schedule, repositoryId: otherId }, () => null),
  ];
  return { repositoryId, scheduleId: first.id };
}

/** The first instant of the oldest month that a retention of so many days keeps. */
export function oldestKept(days: number): Date {
  const kept = new Date(Date.now() - days * 86_400_000);
  return new Date(Date.UTC(kept.getUTCFullYear(), kept.getUTCMonth()));
}

/** Makes the partitions of the months from then to now, which the service makes ahead. */
export async function addMonthsSince(stores: Stores, first: Date): Promise<void> {
  await stores.db.query(
    `SELECT add_execution_month(month) FROM generate_series($1::timestamptz, now(), interval '1 day') AS month`,
    [first],
  );
}

/**
 * Executions of these owners over 90 days, of all kinds: four triggers, three pods. The same in each test run.
 * `setseed` lasts for one session, so this is one statement.
 */
export async function addRows(stores: Stores, count: number, first: Date): Promise<void> {
  await stores.db.transaction(async (tx) => {
    // A busy machine needs longer than a statement of the service may take.
    await tx.query(`SET LOCAL statement_timeout = 0`);
    await tx.query(
      `WITH seed AS (SELECT setseed(0.25)),
      made AS (
        SELECT number, random() AS r, random() AS s, random() AS t, random() AS d
        FROM seed, generate_series(1, $1::int) AS number
      ), timed AS (
        SELECT *, $2::timestamptz + interval '90 days' * (number::float8 / $1) AS queued_at,
          CASE WHEN t < 0.7 THEN 'cron' WHEN t < 0.85 THEN 'manual' WHEN t < 0.95 THEN 'webhook' ELSE 'recovery' END
            AS trigger,
          CASE WHEN r < 0.6 THEN 'completed' WHEN r < 0.7 THEN 'partial' WHEN r < 0.8 THEN 'failed'
            WHEN r < 0.85 THEN 'cancelled' WHEN r < 0.95 THEN 'missed' ELSE 'skipped' END AS status
        FROM made
      ), owners AS (
        SELECT array_agg(id ORDER BY created_at) AS repositories,
          (SELECT array_agg(id ORDER BY created_at) FROM schedule_sessions) AS schedules FROM repositories
      )
      INSERT INTO schedule_execution_logs (repository_id, schedule_session_id, scheduled_for, trigger, status,
        pod_name, queued_at, completed_at, duration_seconds, files_processed, files_failed, chunks_upserted,
        chunks_deleted, embeddings_requested, embeddings_reused, error_code)
      SELECT repositories[1 + (s < 0.3)::int],
        CASE trigger WHEN 'cron' THEN schedules[1 + (s < 0.3)::int + (s < 0.1)::int] END,
        CASE trigger WHEN 'cron' THEN queued_at + number * interval '1 microsecond' END,
        trigger, status,
        CASE WHEN status IN ('missed', 'skipped') THEN NULL ELSE 'pod-' || floor(d * 3) END,
        queued_at, queued_at + interval '1 minute',
        CASE WHEN status IN ('missed', 'skipped') THEN NULL ELSE exp(d * 9 - 2) END,
        number % 7, number % 3, number % 11, number % 5, number % 13, number % 4,
        CASE WHEN status IN ('failed', 'missed') THEN 'code_' || number % 6 END
      FROM timed, owners`,
      [count, first],
    );
  });
}
