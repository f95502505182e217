import { takeOverBoundSeconds } from '../system/timings.js';
import {
  type ExecutionRow,
  type Facts,
  groupBy,
  faultMsBetween,
  type ScheduleEdit,
  type Step,
} from './facts.js';
import { Judge, percentile, seconds, type Verdict } from './verdict.js';

const MINUTE_MS = 60_000;

/** One revision of a live schedule. Every tick from `from` (inclusive) to `to` (exclusive) must get a row. */
interface Period {
  scheduleId: string;
  revision: number;
  expression: string;
  from: number;
  to: number;
}

/** I1, I3, I4, I5, I7 and I11: every due tick has the right row. */
export function judgeTicks(facts: Facts): Verdict[] {
  const rowsByTick = groupBy(
    facts.executions.filter(({ scheduled_for }) => scheduled_for !== null),
    (row) => tickKey(row.schedule_session_id!, row.scheduled_for!.getTime()),
  );
  const firstSteps = new Map<string, Step>();
  for (const step of facts.steps) if (step.former_status === null) firstSteps.set(step.execution_id, step);
  const periods = periodsOf(facts);
  return [
    judgeOnce(facts, rowsByTick),
    judgeComplete(facts, rowsByTick, periods),
    judgePunctual(facts, firstSteps),
    judgeNeverEarly(facts, firstSteps),
    judgeRevision(periods, firstSteps),
    judgeSatisfied(facts),
  ];
}

function judgeOnce(facts: Facts, rowsByTick: ReadonlyMap<string, ExecutionRow[]>): Verdict {
  const judge = new Judge('I1', 'A tick has one row, and each attempt of it starts once');
  for (const [tick, rows] of rowsByTick)
    judge.check(
      rows.length === 1,
      () => `${tick} has ${rows.length} rows: ${rows.map(({ id }) => id).join(', ')}`,
    );
  const starts = facts.steps.filter(
    ({ status, former_status }) => status === 'running' && former_status !== 'running',
  );
  for (const [attempt, same] of groupBy(starts, (step) => `${step.execution_id} attempt ${step.attempt}`))
    judge.check(same.length === 1, () => `${attempt} started ${same.length} times`);
  return judge.verdict();
}

const TERMINAL = ['completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped'];

function judgeComplete(
  facts: Facts,
  rowsByTick: ReadonlyMap<string, ExecutionRow[]>,
  periods: readonly Period[],
): Verdict {
  const judge = new Judge(
    'I3',
    'Every tick that was due ended in exactly one terminal row, and no row is without a tick',
  );
  const owed = new Set<string>();
  const backlogs = facts.executions.filter(({ scheduled_until }) => scheduled_until !== null);
  let summedUp = 0;
  for (const period of periods) {
    for (const tick of ticksOf(period)) {
      const key = tickKey(period.scheduleId, tick);
      owed.add(key);
      const rows =
        (rowsByTick.get(key)?.length ?? 0) + (backlogs.some((row) => isWithin(row, period, tick)) ? 1 : 0);
      judge.check(rows === 1, () => `${key} (revision ${period.revision}) has ${rows} rows`);
    }
  }
  for (const row of facts.executions) {
    if (row.scheduled_for === null) continue;
    judge.check(
      TERMINAL.includes(row.status),
      () => `${row.id} is still ${row.status} at attempt ${row.attempt}`,
    );
    const key = tickKey(row.schedule_session_id!, row.scheduled_for.getTime());
    judge.check(owed.has(key), () => `${key}: row ${row.id} (${row.status}) belongs to no tick`);
    summedUp += row.coalesced_count;
  }
  judge.measure('ticks', owed.size);
  judge.measure('coalesced into a run', summedUp);
  return judge.verdict();
}

/** Whether the row of a backlog stands for a tick after its first one. */
function isWithin(row: ExecutionRow, { scheduleId }: Period, tick: number): boolean {
  const { schedule_session_id, scheduled_for, scheduled_until } = row;
  if (schedule_session_id !== scheduleId || scheduled_for === null || scheduled_until === null) return false;
  return scheduled_for.getTime() < tick && tick <= scheduled_until.getTime();
}

/** A tick may be late by the take-over bound plus the duration of the faults around it. */
function judgePunctual(facts: Facts, firstSteps: ReadonlyMap<string, Step>): Verdict {
  const judge = new Judge(
    'I4',
    'A tick is claimed, and its run started, within the take-over bound of its instant',
  );
  const boundMs = takeOverBoundSeconds(facts.timings) * 1000;
  const firstStarts = new Map<string, Step>();
  for (const step of facts.steps)
    if (step.status === 'running' && !firstStarts.has(step.execution_id))
      firstStarts.set(step.execution_id, step);
  const calm: number[] = [];
  const all: number[] = [];
  for (const row of facts.executions) {
    const due = row.scheduled_for?.getTime();
    const claimed = firstSteps.get(row.id)?.at.getTime();
    // Ticks of a backlog are always late; only the latest of them runs.
    if (due === undefined || claimed === undefined || row.status === 'missed' || row.status === 'skipped')
      continue;
    const started = firstStarts.get(row.id)?.at.getTime() ?? claimed;
    const lateMs = started - due;
    const faultMs = faultMsBetween(facts.injected, due - boundMs, started);
    if (row.coalesced_count === 0) {
      all.push(lateMs);
      if (faultMs === 0) calm.push(lateMs);
      judge.check(lateMs <= boundMs + faultMs, () => `${row.id} started ${seconds(lateMs)} after its tick`);
    }
  }
  for (const [name, values] of Object.entries({ calm, all })) {
    judge.measure(`${name}: ticks`, values.length);
    for (const share of [0.5, 0.99, 1])
      judge.measure(`${name}: p${share * 100}`, seconds(percentile(values, share)));
  }
  return judge.verdict();
}

function judgeNeverEarly(facts: Facts, firstSteps: ReadonlyMap<string, Step>): Verdict {
  const judge = new Judge('I5', "No tick is claimed early by the database's clock");
  for (const step of firstSteps.values()) {
    if (step.scheduled_for === null) continue;
    const earlyMs = step.scheduled_for.getTime() - step.at.getTime();
    judge.check(earlyMs <= 0, () => `${step.execution_id} was claimed ${seconds(earlyMs)} early`);
  }
  return judge.verdict();
}

function judgeRevision(periods: readonly Period[], firstSteps: ReadonlyMap<string, Step>): Verdict {
  const judge = new Judge('I7', 'No tick is claimed under a revision that an edit had replaced');
  const bySchedule = groupBy(periods, ({ scheduleId }) => scheduleId);
  for (const { schedule_id, scheduled_for, schedule_revision, execution_id } of firstSteps.values()) {
    // Without an edit there is no replaced revision.
    if (schedule_id === null || scheduled_for === null || (bySchedule.get(schedule_id)?.length ?? 0) < 2)
      continue;
    const due = scheduled_for.getTime();
    // A later edit may have added this tick to the time before the next one of a former revision.
    const owner = bySchedule.get(schedule_id)?.findLast(({ from, to }) => from <= due && due < to);
    judge.check(
      owner?.revision === schedule_revision,
      () =>
        `${execution_id} for ${scheduled_for.toISOString()} was claimed at revision ${schedule_revision}; ` +
        `the tick belongs to revision ${owner?.revision}`,
    );
  }
  judge.measure(
    'edits',
    [...bySchedule.values()].reduce((sum, { length }) => sum + length - 1, 0),
  );
  return judge.verdict();
}

/** Schedules of one repository coincide, and ticks fall into runs: one run stands for all of them. */
function judgeSatisfied({ executions, steps }: Facts): Verdict {
  const judge = new Judge(
    'I11',
    'A tick that another run satisfies names a run of its repository that began after it',
  );
  const rows = new Map(executions.map((row) => [row.id, row]));
  const starts = groupBy(
    steps.filter(({ status, former_status }) => status === 'running' && former_status !== 'running'),
    ({ execution_id }) => execution_id,
  );
  for (const row of executions) {
    if (row.error_code !== 'satisfied' && row.error_code !== 'coalesced') continue;
    const by = rows.get(row.satisfied_by ?? '');
    const last = row.scheduled_until ?? row.scheduled_for!;
    const isLater = (starts.get(by?.id ?? '') ?? []).some(({ at }) => at >= last);
    judge.check(
      by?.repository_id === row.repository_id && (isLater || by.status !== 'completed'),
      () => `${row.id} names ${row.satisfied_by} (${by?.status}), which did not begin after the tick`,
    );
  }
  return judge.verdict();
}

/** The times between one edit and the next. */
function periodsOf({ edits, endedAt }: Facts): Period[] {
  const periods: Period[] = [];
  for (const [scheduleId, ofSchedule] of groupBy(edits, ({ schedule_id }) => schedule_id)) {
    ofSchedule.forEach((edit, position) => {
      if (!edit.is_live || edit.next_run_at === null) return;
      const next: ScheduleEdit | undefined = ofSchedule[position + 1];
      periods.push({
        scheduleId,
        revision: edit.revision,
        expression: edit.cron_expression,
        from: edit.next_run_at.getTime(),
        to: next ? endOf(edit, next) : endedAt.getTime(),
      });
    });
  }
  return periods;
}

/**
 * An edit of the time records the due ticks as superseded, so they belong to the former period. After another edit they
 * are claimed under the new revision.
 */
function endOf(edit: ScheduleEdit, next: ScheduleEdit): number {
  const following = next.next_run_at?.getTime() ?? Infinity;
  const isTimeKept = following === (next.former_next_run_at ?? edit.next_run_at)?.getTime();
  return isTimeKept ? following : Math.min(following, next.at.getTime());
}

/** Computes the ticks independently of the product. It knows the expressions of the workload: lists and steps of minutes, in UTC. */
function ticksOf({ expression, from, to }: Period): number[] {
  const minutes = minutesOf(expression.split(' ')[0] ?? '');
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / MINUTE_MS) * MINUTE_MS; tick < to; tick += MINUTE_MS)
    if (minutes.has(new Date(tick).getUTCMinutes())) ticks.push(tick);
  return ticks;
}

function minutesOf(field: string): Set<number> {
  const all = Array.from({ length: 60 }, (_, minute) => minute);
  const step = /^\*(?:\/(\d+))?$/.exec(field);
  if (step) return new Set(all.filter((minute) => minute % Number(step[1] ?? 1) === 0));
  return new Set(field.split(',').map(Number));
}

function tickKey(scheduleId: string, due: number): string {
  return `${scheduleId} at ${new Date(due).toISOString()}`;
}
