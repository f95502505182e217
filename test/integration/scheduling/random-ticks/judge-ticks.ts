import { type Database } from '@adapters/postgres';
import { walkedFields, walkTicks, type WalkedZone, walkZone } from '../../../support/cron-walk.js';
import { type Edit } from './world.js';

interface TickRow {
  id: string;
  scheduleSessionId: string;
  scheduledFor: Date;
  scheduledUntil: Date | null;
  status: string;
  errorCode: string | null;
  coalescedCount: number;
  repositoryId: string;
  /** Of the execution that satisfied the tick. */
  byRepositoryId: string | null;
  byStatus: string | null;
  byStartedAt: Date | null;
}

export interface TickVerdict {
  /** Ticks that were due. */
  ticks: number;
  /** How many of them ended how. */
  outcomes: Record<string, number>;
  violations: string[];
}

/** Compares the rows with the ticks of every revision of every schedule, as a walk over every minute finds them. */
export async function judgeTicks(
  observer: Database,
  edits: readonly Edit[],
  fromMs: number,
  untilMs: number,
): Promise<TickVerdict> {
  const owed = owedTicks(edits, fromMs, untilMs);
  const covered = new Map<string, number>();
  const outcomes: Record<string, number> = {};
  const violations: string[] = [];
  for (const row of await readRows(observer)) {
    const { scheduleSessionId: scheduleId, scheduledFor, scheduledUntil, errorCode, status } = row;
    const ticks = owed.get(scheduleId) ?? [];
    const [first, last] = [scheduledFor.getTime(), (scheduledUntil ?? scheduledFor).getTime()];
    const own = ticks.filter((tick) => first <= tick && tick <= last);
    const name = scheduledUntil === null ? (errorCode ?? 'run') : `backlog ${errorCode}`;
    outcomes[name] = (outcomes[name] ?? 0) + own.length;
    if (own[0] !== first) violations.push(`row ${row.id} (${name}) of ${scheduleId} has no tick at ${first}`);
    // A deleted repository's row counts no further ticks.
    if (row.coalescedCount > 0 && scheduledUntil !== null && own.length !== row.coalescedCount + 1)
      violations.push(`row ${row.id} stands for ${row.coalescedCount + 1} ticks instead of ${own.length}`);
    for (const tick of own)
      covered.set(keyOf(scheduleId, tick), (covered.get(keyOf(scheduleId, tick)) ?? 0) + 1);
    if (['queued', 'running'].includes(status)) violations.push(`row ${row.id} is still ${status}`);
    if (errorCode === 'satisfied' || errorCode === 'coalesced') violations.push(...falselySatisfied(row));
  }
  let ticks = 0;
  for (const [scheduleId, due] of owed) {
    ticks += due.length;
    for (const tick of due) {
      const rows = covered.get(keyOf(scheduleId, tick)) ?? 0;
      if (rows !== 1) violations.push(`${keyOf(scheduleId, tick)} has ${rows} rows`);
    }
  }
  return { ticks, outcomes, violations };
}

function falselySatisfied(row: TickRow): string[] {
  const { id, repositoryId, byRepositoryId, byStatus, byStartedAt, scheduledFor, scheduledUntil } = row;
  if (byRepositoryId !== repositoryId) return [`row ${id} does not name an execution of its repository`];
  const last = scheduledUntil ?? scheduledFor;
  const isLateEnough = byStartedAt === null ? byStatus === 'cancelled' : byStartedAt >= last;
  return isLateEnough ? [] : [`row ${id} is satisfied by a run (${byStatus}) that began before its tick`];
}

function readRows(observer: Database): Promise<TickRow[]> {
  return observer.query<TickRow>(
    `SELECT e.id, e.schedule_session_id, e.repository_id, e.scheduled_for, e.scheduled_until, e.status, e.error_code,
        e.coalesced_count, o.repository_id AS by_repository_id, o.status AS by_status, o.started_at AS by_started_at
      FROM schedule_execution_logs e LEFT JOIN schedule_execution_logs o ON o.id = e.satisfied_by
      WHERE e.scheduled_for IS NOT NULL`,
  );
}

/** The ticks after each edit of a schedule, up to the next one. What is due at an edit belongs to the former revision. */
function owedTicks(edits: readonly Edit[], fromMs: number, untilMs: number): Map<string, number[]> {
  const zones = new Map<string, WalkedZone>();
  const all = new Map<string, number[]>();
  const owed = new Map<string, number[]>();
  for (const [position, { at, scheduleId, timing }] of edits.entries()) {
    const due = owed.get(scheduleId) ?? [];
    owed.set(scheduleId, due);
    if (timing === null) continue;
    const { expression, timezone } = timing;
    const zone = zones.get(timezone) ?? walkZone(timezone, fromMs, untilMs);
    zones.set(timezone, zone);
    const key = `${expression} ${timezone}`;
    const ticks = all.get(key) ?? walkTicks(walkedFields(expression), zone);
    all.set(key, ticks);
    const next = edits.slice(position + 1).find((later) => later.scheduleId === scheduleId)?.at ?? untilMs;
    for (const tick of ticks) if (at < tick && tick <= next) due.push(tick);
  }
  return owed;
}

function keyOf(scheduleId: string, tick: number): string {
  return `${scheduleId} at ${new Date(tick).toISOString()}`;
}
