import { PostgresHistory } from '@adapters/postgres';
import {
  type FailureBreakdown,
  type HistoryFilter,
  type HistorySummary,
  type Timeline,
  type TimelineBucketSize,
} from '@core/domain';
import { expect } from '@jest/globals';
import { type Stores } from './fixtures.js';

const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe'];

const WHERE = `queued_at >= $1 AND queued_at < $2
  AND ($3::uuid IS NULL OR repository_id = $3) AND ($4::uuid IS NULL OR schedule_session_id = $4)
  AND ($5::text IS NULL OR trigger = $5) AND ($6::text IS NULL OR pod_name = $6)`;

function valuesOf({ from, to, repositoryId, scheduleId, trigger, podName }: HistoryFilter): unknown[] {
  return [from, to, repositoryId ?? null, scheduleId ?? null, trigger ?? null, podName ?? null];
}

const ROWS = `schedule_execution_logs WHERE ${WHERE}`;
const ENDED = ['completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped'];
const runsBy = (statuses: readonly string[]) =>
  `jsonb_build_object(${statuses
    .map((status) => `'${status}', count(*) FILTER (WHERE status = '${status}')`)
    .join(', ')})`;
const TOTALS = `jsonb_build_object(
  'filesProcessed', COALESCE(sum(files_processed) FILTER (WHERE completed_at IS NOT NULL), 0),
  'filesFailed', COALESCE(sum(files_failed) FILTER (WHERE completed_at IS NOT NULL), 0),
  'chunksUpserted', COALESCE(sum(chunks_upserted) FILTER (WHERE completed_at IS NOT NULL), 0),
  'chunksDeleted', COALESCE(sum(chunks_deleted) FILTER (WHERE completed_at IS NOT NULL), 0),
  'embeddingsRequested', COALESCE(sum(embeddings_requested) FILTER (WHERE completed_at IS NOT NULL), 0),
  'embeddingsReused', COALESCE(sum(embeddings_reused) FILTER (WHERE completed_at IS NOT NULL), 0))`;

/** The same answers by simple SQL over the rows only. */
function oracleOf({ db }: Stores) {
  async function one<T>(sql: string, values: unknown[]): Promise<T> {
    const [row] = await db.query<{ answer: T }>(sql, values);
    return row!.answer;
  }
  return {
    summary: (filter: HistoryFilter) =>
      one<Pick<HistorySummary, 'runs' | 'durations' | 'totals'>>(
        `SELECT jsonb_build_object('runs', ${runsBy(['queued', 'running', ...ENDED])}, 'totals', ${TOTALS},
          'durations', jsonb_build_object('runs', count(duration_seconds), 'mean', avg(duration_seconds),
            'p50', percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_seconds),
            'p95', percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_seconds),
            'max', max(duration_seconds))) AS answer FROM ${ROWS}`,
        valuesOf(filter),
      ),

    /** Buckets with executions, by the local time at which they begin. */
    timeline: (filter: HistoryFilter, size: TimelineBucketSize, timezone: string) =>
      one<{ local: string; runs: Record<string, number>; totals: Timeline['buckets'][0]['totals'] }[] | null>(
        `SELECT jsonb_agg(bucket ORDER BY bucket ->> 'local') AS answer FROM (
          SELECT jsonb_build_object('local', date_trunc('${size}', queued_at AT TIME ZONE $7),
            'runs', ${runsBy(ENDED)}, 'totals', ${TOTALS}) AS bucket
          FROM ${ROWS} AND completed_at IS NOT NULL GROUP BY date_trunc('${size}', queued_at AT TIME ZONE $7)) AS b`,
        [...valuesOf(filter), timezone],
      ),

    failures: (filter: HistoryFilter, timezone: string) =>
      one<Pick<FailureBreakdown, 'total' | 'byHour' | 'byRepository' | 'byErrorCode'>>(
        `WITH f AS (SELECT *, EXTRACT(HOUR FROM queued_at AT TIME ZONE $7)::int AS hour FROM ${ROWS}
            AND status IN ('failed', 'partial', 'missed')),
          by_hour AS (SELECT h AS hour, ${runsBy(['failed', 'partial', 'missed'])} AS n
            FROM generate_series(0, 23) AS h LEFT JOIN f ON f.hour = h GROUP BY h),
          by_repository AS (SELECT repository_id, count(*) AS c, ${runsBy(['failed', 'partial', 'missed'])} AS n
            FROM f GROUP BY 1),
          by_code AS (SELECT error_code, count(*) AS c, ${runsBy(['failed', 'partial', 'missed'])} AS n
            FROM f GROUP BY 1)
        SELECT jsonb_build_object(
          'total', (SELECT ${runsBy(['failed', 'partial', 'missed'])} FROM f),
          'byHour', (SELECT jsonb_agg(n || jsonb_build_object('hour', hour) ORDER BY hour) FROM by_hour),
          'byRepository', COALESCE((SELECT jsonb_agg(n || jsonb_build_object('repositoryId', repository_id,
            'projectPath', project_path, 'branch', branch) ORDER BY c DESC, repository_id::text)
            FROM by_repository JOIN repositories r ON r.id = repository_id), '[]'),
          'byErrorCode', COALESCE((SELECT jsonb_agg(n || jsonb_build_object('errorCode', error_code)
            ORDER BY c DESC, COALESCE(error_code, '')) FROM by_code), '[]')) AS answer`,
        [...valuesOf(filter), timezone],
      ),
  };
}

/** Compares the history with simple SQL over the rows, in five time zones. */
export async function compareWithRows(stores: Stores, filter: HistoryFilter): Promise<void> {
  const history = new PostgresHistory(stores.db);
  const oracle = oracleOf(stores);
  const asked =
    filter.repositoryId === 'no-uuid'
      ? { ...filter, repositoryId: '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11' }
      : filter;
  const summary = await history.summary(filter);
  const expected = await oracle.summary(asked);
  const { mean, ...durations } = expected.durations;
  expect(summary).toMatchObject({
    runs: expected.runs,
    totals: expected.totals,
    durations: { ...durations, isExact: true },
  });
  if (mean === null) expect(summary.durations.mean).toBeNull();
  else expect(summary.durations.mean).toBeCloseTo(mean, 6);
  for (const zone of ZONES) {
    const { total, byHour, byRepository, byErrorCode } = await history.failures(filter, zone, 100);
    expect({ total, byHour, byRepository, byErrorCode }).toEqual(await oracle.failures(asked, zone));
    const { buckets } = await history.timeline(filter, 'day', zone);
    const found = buckets.filter(({ runs }) => Object.values(runs).some((count) => count > 0));
    const days = (await oracle.timeline(asked, 'day', zone)) ?? [];
    expect(found.map(({ runs, totals }) => ({ runs, totals }))).toEqual(
      days.map(({ runs, totals }) => ({ runs, totals })),
    );
  }
}
