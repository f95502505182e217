import {
  FAILURE_STATUSES,
  type FailureBreakdown,
  type FailureCounts,
  type HistoryFilter,
} from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { type Cells, factsOf, IS_FAILURE, Parameters, sums } from './facts.js';
import { finestLevel } from './time-zone.js';

const FAILURES_OF_ROW = FAILURE_STATUSES.map((status) => `(status = '${status}')::int AS ${status}`).join(
  ', ',
);

const TIMES: Omit<Cells, 'levels'> = {
  table: 'history_totals',
  ofCell: `bucket_start AS at, ${FAILURE_STATUSES.join(', ')}`,
  ofRow: `queued_at AS at, ${FAILURES_OF_ROW}`,
  rowCondition: IS_FAILURE,
};

const SUBJECTS: Cells = {
  table: 'history_failures',
  levels: ['month', 'day'],
  ofCell: `kind, subject, ${FAILURE_STATUSES.join(', ')}`,
  ofRow: `kind, subject, ${FAILURES_OF_ROW}`,
  rowJoin: `CROSS JOIN LATERAL (VALUES ('repository', repository_id::text), ('error_code', COALESCE(error_code, '')))
    AS fact (kind, subject)`,
  rowCondition: IS_FAILURE,
};

type Breakdown = Pick<FailureBreakdown, 'total' | 'byHour' | 'byRepository' | 'byErrorCode'>;

/** Within a transaction that sees one moment. */
export async function breakDownFailures(
  tx: Queryable,
  filter: HistoryFilter,
  timezone: string,
  limit: number,
): Promise<Breakdown> {
  const byHour = await failuresByHour(tx, filter, timezone);
  const subjects = await failuresBySubject(tx, filter, limit);
  return {
    total: byHour.reduce<FailureCounts>(add, { failed: 0, partial: 0, missed: 0 }),
    byHour,
    byRepository: await named(
      tx,
      subjects.filter(({ kind }) => kind === 'repository'),
    ),
    byErrorCode: subjects
      .filter(({ kind }) => kind === 'error_code')
      .map(({ subject, ...row }) => ({ errorCode: subject === '' ? null : subject, ...countsOf(row) })),
  };
}

async function failuresByHour(
  tx: Queryable,
  filter: HistoryFilter,
  timezone: string,
): Promise<Breakdown['byHour']> {
  const parameters = new Parameters();
  const levels = [await finestLevel(tx, filter, timezone)];
  const facts = factsOf({ ...TIMES, levels }, filter, parameters);
  const rows = await tx.query<FailureCounts & { hour: number }>(
    `SELECT EXTRACT(HOUR FROM at AT TIME ZONE ${parameters.add(timezone)})::int AS hour, ${sums(FAILURE_STATUSES)}
      FROM (${facts}) AS fact GROUP BY 1`,
    parameters.values,
  );
  const found = new Map(rows.map((row) => [row.hour, row]));
  return Array.from(
    { length: 24 },
    (_, hour) => found.get(hour) ?? { hour, failed: 0, partial: 0, missed: 0 },
  );
}

interface SubjectRow extends FailureCounts {
  kind: 'repository' | 'error_code';
  subject: string;
}

async function failuresBySubject(tx: Queryable, filter: HistoryFilter, limit: number): Promise<SubjectRow[]> {
  const parameters = new Parameters();
  const facts = factsOf(SUBJECTS, filter, parameters);
  return tx.query<SubjectRow>(
    `SELECT * FROM (
        SELECT kind, subject, ${sums(FAILURE_STATUSES)},
          row_number() OVER (PARTITION BY kind ORDER BY sum(${FAILURE_STATUSES.join(' + ')}) DESC, subject) AS place
        FROM (${facts}) AS fact GROUP BY kind, subject
      ) AS ranked WHERE place <= ${parameters.add(limit)} ORDER BY kind, place`,
    parameters.values,
  );
}

async function named(tx: Queryable, subjects: readonly SubjectRow[]): Promise<Breakdown['byRepository']> {
  const names = await tx.query<{ id: string; projectPath: string; branch: string }>(
    `SELECT id, project_path AS "projectPath", branch FROM repositories WHERE id = ANY($1::uuid[])`,
    [subjects.map(({ subject }) => subject)],
  );
  const byId = new Map(names.map((name) => [name.id, name]));
  return subjects.map(({ subject, ...row }) => ({
    repositoryId: subject,
    projectPath: byId.get(subject)?.projectPath ?? '',
    branch: byId.get(subject)?.branch ?? '',
    ...countsOf(row),
  }));
}

function countsOf({ failed, partial, missed }: FailureCounts): FailureCounts {
  return { failed, partial, missed };
}

function add(left: FailureCounts, right: FailureCounts): FailureCounts {
  return {
    failed: left.failed + right.failed,
    partial: left.partial + right.partial,
    missed: left.missed + right.missed,
  };
}
