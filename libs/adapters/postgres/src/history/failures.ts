import {
  FAILURE_STATUSES,
  type FailureBreakdown,
  type FailureCounts,
  type HistoryFilter,
} from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { factsOf, Parameters, sums } from './facts.js';

type Breakdown = Pick<FailureBreakdown, 'total' | 'byHour' | 'byRepository' | 'byErrorCode'>;

const FAILURES = FAILURE_STATUSES.join(' + ');

/** @param tx a transaction that reads one snapshot. */
export async function breakDownFailures(
  tx: Queryable,
  filter: HistoryFilter,
  timezone: string,
  limit: number,
): Promise<Breakdown> {
  const byHour = await failuresByHour(tx, filter, timezone);
  const total = (status: keyof FailureCounts): number => byHour.reduce((sum, row) => sum + row[status], 0);
  const byErrorCode = await failuresBySubject(tx, 'error', filter, limit);
  return {
    total: { failed: total('failed'), partial: total('partial'), missed: total('missed') },
    byHour,
    byRepository: await failuresByRepository(tx, filter, limit),
    byErrorCode: byErrorCode.map(({ subject, ...counts }) => ({ errorCode: subject || null, ...counts })),
  };
}

async function failuresByHour(
  tx: Queryable,
  filter: HistoryFilter,
  timezone: string,
): Promise<Breakdown['byHour']> {
  const parameters = new Parameters();
  const facts = factsOf('all', filter, parameters, { levels: ['quarter'], columns: FAILURE_STATUSES });
  const hour = `EXTRACT(HOUR FROM at AT TIME ZONE ${parameters.add(timezone)})::int`;
  const rows = await tx.query<FailureCounts & { hour: number }>(
    `SELECT ${hour} AS hour, ${sums(FAILURE_STATUSES)} FROM (${facts}) AS fact WHERE ${FAILURES} > 0 GROUP BY 1`,
    parameters.values,
  );
  const none = { failed: 0, partial: 0, missed: 0 };
  return Array.from({ length: 24 }, (_, hour) => rows.find((row) => row.hour === hour) ?? { hour, ...none });
}

function failuresBySubject(
  tx: Queryable,
  kind: 'repository' | 'error',
  filter: HistoryFilter,
  limit: number,
): Promise<(FailureCounts & { subject: string })[]> {
  const parameters = new Parameters();
  const facts = factsOf(kind, filter, parameters, { columns: FAILURE_STATUSES });
  return tx.query(
    `SELECT subject, ${sums(FAILURE_STATUSES)} FROM (${facts}) AS fact
      GROUP BY subject ORDER BY sum(${FAILURES}) DESC, subject LIMIT ${parameters.add(limit)}`,
    parameters.values,
  );
}

async function failuresByRepository(
  tx: Queryable,
  filter: HistoryFilter,
  limit: number,
): Promise<Breakdown['byRepository']> {
  const rows = await failuresBySubject(tx, 'repository', filter, limit);
  const names = await tx.query<{ id: string; projectPath: string; branch: string }>(
    `SELECT id, project_path, branch FROM repositories WHERE id = ANY($1::uuid[])`,
    [rows.map(({ subject }) => subject)],
  );
  const byId = new Map(names.map(({ id, ...name }) => [id, name]));
  return rows.map(({ subject, ...counts }) => ({
    repositoryId: subject,
    ...(byId.get(subject) ?? { projectPath: '', branch: '' }),
    ...counts,
  }));
}
