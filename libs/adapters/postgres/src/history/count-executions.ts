import {
  ENDED_STATUSES,
  EXECUTION_STATUSES,
  type ExecutionFilter,
  type ExecutionStatus,
  type HistoryFilter,
} from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { factsOf, isOfOwners, Parameters, rowConditions, rowsDeletedBefore } from './facts.js';
import { countUnended } from './summary.js';

/** Whole days, so that sums answer for the whole range. */
const EVER = { from: new Date(0), to: new Date(Date.UTC(9999, 0)) };

/**
 * The exact number of executions, from the sums of history where these match the table. Rows of one
 * repository or schedule, and rows that retention kept, are few and are counted directly.
 * @param tx a transaction that reads one snapshot.
 */
export async function countExecutions(tx: Queryable, filter: ExecutionFilter): Promise<number> {
  const { status: statuses = EXECUTION_STATUSES, ...rest } = filter;
  const asked: HistoryFilter = { ...rest, from: filter.from ?? EVER.from, to: filter.to ?? EVER.to };
  if (isOfOwners(asked)) return countRows(tx, asked, statuses);
  const border = clamp((await rowsDeletedBefore(tx)) ?? asked.from, asked);
  const summed = { ...asked, from: border };
  const { queued, running } = await countUnended(tx, summed);
  return (
    (await countRows(tx, { ...asked, to: border }, statuses)) +
    (await countEnded(tx, summed, statuses)) +
    (statuses.includes('queued') ? queued : 0) +
    (statuses.includes('running') ? running : 0)
  );
}

function clamp(at: Date, { from, to }: HistoryFilter): Date {
  if (at < from) return from;
  return at > to ? to : at;
}

async function countRows(
  tx: Queryable,
  filter: HistoryFilter,
  statuses: readonly ExecutionStatus[],
): Promise<number> {
  if (filter.from >= filter.to) return 0;
  const parameters = new Parameters();
  const sql = `SELECT count(*) AS total FROM schedule_execution_logs
    WHERE ${rowConditions(filter, parameters)} AND status = ANY(${parameters.add(statuses)})`;
  return (await tx.one<{ total: number }>(sql, parameters.values)).total;
}

async function countEnded(
  tx: Queryable,
  filter: HistoryFilter,
  statuses: readonly ExecutionStatus[],
): Promise<number> {
  const wanted = ENDED_STATUSES.filter((status) => statuses.includes(status));
  if (wanted.length === 0) return 0;
  const parameters = new Parameters();
  const facts = factsOf('all', filter, parameters, { columns: wanted });
  const sql = `SELECT COALESCE(sum(${wanted.join(' + ')}), 0) AS total FROM (${facts}) AS fact`;
  return (await tx.one<{ total: number }>(sql, parameters.values)).total;
}
