import { type ClaimDecision, type DueSchedule, type PassedOverTick } from '@core/domain';
import { nextTick, parseCron } from './cron.js';

/** Maximum rows per claim; the oldest row counts the further ticks of a longer backlog. */
const MAX_ENUMERATED_TICKS = 1000;
/** Two weeks of minutes. Further ticks are not computed, because the row would be locked too long. */
const MAX_WALKED_TICKS = 20_000;
const DAY_MS = 86_400_000;
/** The default of SCHEDULE_POLL_SECONDS: a tick that the poll claims is on time for every grace. */
const MIN_GRACE_SECONDS = 5;

/**
 * Decides about the due ticks. The latest runs, and earlier ones are coalesced into it. All are missed after the grace
 * period, and skipped while a run of the repository is queued or running. Pure: the caller locks the row and passes the
 * database's time.
 */
export function decideClaim({ schedule, now, isBusy }: DueSchedule): ClaimDecision {
  const { due, uncounted, next } = dueTicks(schedule, now);
  const latest = due.at(-1);
  if (!latest) return { nextRunAt: next, run: null, passedOver: [] };

  const lateSeconds = (now.getTime() - latest.getTime()) / 1000;
  const graceSeconds = Math.max(schedule.misfireGraceSeconds, MIN_GRACE_SECONDS);
  if (lateSeconds > graceSeconds) {
    const message = `Found ${Math.round(lateSeconds)} s late; the grace is ${graceSeconds} s.`;
    return { nextRunAt: next, run: null, passedOver: rowsFor(due, uncounted, 'missed', 'missed', message) };
  }
  if (isBusy) {
    const message = 'A run of this repository was still queued or running.';
    return { nextRunAt: next, run: null, passedOver: rowsFor(due, uncounted, 'skipped', 'overlap', message) };
  }
  const earlier = due.slice(0, -1);
  const message = `Folded into the tick of ${latest.toISOString()}.`;
  return {
    nextRunAt: next,
    run: { scheduledFor: latest, coalescedCount: earlier.length + uncounted },
    passedOver: rowsFor(earlier, uncounted, 'skipped', 'coalesced', message),
  };
}

interface DueTicks {
  /** Oldest first, the newest {@link MAX_ENUMERATED_TICKS}. */
  due: Date[];
  /** Older ticks without a row; a lower bound when ticks were skipped. */
  uncounted: number;
  next: Date | null;
}

function dueTicks(schedule: DueSchedule['schedule'], now: Date): DueTicks {
  const cron = parseCron(schedule.cronExpression);
  const due: Date[] = [];
  let uncounted = 0;
  let tick = schedule.nextRunAt;
  while (tick && tick <= now) {
    due.push(tick);
    if (due.length > MAX_ENUMERATED_TICKS) {
      due.shift();
      uncounted++;
    }
    const isFarBehind =
      due.length + uncounted === MAX_WALKED_TICKS && now.getTime() - tick.getTime() > DAY_MS;
    tick = nextTick(cron, schedule.timezone, isFarBehind ? new Date(now.getTime() - DAY_MS) : tick);
  }
  return { due, uncounted, next: tick };
}

function rowsFor(
  ticks: readonly Date[],
  uncounted: number,
  status: PassedOverTick['status'],
  errorCode: string,
  errorMessage: string,
): PassedOverTick[] {
  return ticks.map((scheduledFor, position) => ({
    scheduledFor,
    status,
    errorCode,
    errorMessage,
    coalescedCount: position === 0 ? uncounted : 0,
  }));
}
