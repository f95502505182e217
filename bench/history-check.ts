import { isDeepStrictEqual } from 'node:util';
import { type Database, type PostgresHistory } from '@adapters/postgres';
import { ENDED_STATUSES } from '@core/domain';

interface PlainAnswer {
  runs: Record<string, number>;
  chunksUpserted: number;
  p50: number;
  p95: number;
  max: number;
}

/** Compares the summary of a range with the simplest SQL over all its rows. @throws when they differ. */
export async function checkSummary(
  db: Database,
  history: PostgresHistory,
  range: { from: Date; to: Date },
): Promise<void> {
  const counts = ENDED_STATUSES.map((status) => `'${status}', count(*) FILTER (WHERE status = '${status}')`);
  const [row] = await db.query<{ answer: PlainAnswer }>(
    `SELECT jsonb_build_object('runs', jsonb_build_object(${counts.join(', ')}),
        'chunksUpserted', sum(chunks_upserted), 'max', max(duration_seconds),
        'p50', percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_seconds),
        'p95', percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_seconds)) AS answer
      FROM schedule_execution_logs WHERE queued_at >= $1 AND queued_at < $2`,
    [range.from, range.to],
  );
  const { runs, totals, durations } = await history.summary(range);
  const { p50, p95, max } = durations;
  const found = { runs: { ...runs }, chunksUpserted: totals.chunksUpserted, p50, p95, max };
  const expected = { ...row?.answer, runs: { queued: 0, running: 0, ...row?.answer.runs } };
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`Not what plain SQL answers: ${JSON.stringify({ found, expected })}`);
}
