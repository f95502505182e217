import {
  type ClaimDecision,
  type DueSchedule,
  type PassedOverTick,
  type Schedule,
  type ScheduleTiming,
  toRepotideError,
} from '@core/domain';
import { nextTick, nextTicks, ticksBetween, type CronSchedule, type TickRange } from './cron.js';
import { cronOf } from './spread.js';

/** Passed-over ticks that get a row each; a longer backlog is one row with its first tick, its last one and their number. */
const MAX_ENUMERATED_TICKS = 60;
/** The default of SCHEDULE_POLL_SECONDS: the next poll claims a tick within every grace period. */
const MIN_GRACE_SECONDS = 5;

/**
 * Decides about the due ticks. A tick means "the repository shall be as new as this instant", so one run satisfies all
 * ticks that are due when it starts: the latest tick runs and the earlier ones are coalesced into it; none runs when
 * another execution of the repository starts late enough. After the grace period they are missed, and one catch-up
 * run follows. While a run that began before the latest tick is in progress, they are skipped. Pure: the caller locks the
 * row and passes the database's time.
 */
export function decideClaim({ schedule, now, occupant }: DueSchedule): ClaimDecision {
  const cron = cronOf(schedule);
  const nextRunAt = nextTick(cron, schedule.timezone, now);
  const due = dueTicks(schedule, cron, now);
  if (!due) return { nextRunAt: laterOf(schedule.nextRunAt, now) ?? nextRunAt, run: null, passedOver: [] };

  const pass = (range: TickRange | null, tick: Omit<PassedOverTick, keyof Span>): PassedOverTick[] =>
    range === null ? [] : spansOf(range, cron, schedule.timezone).map((span) => ({ ...span, ...tick }));
  if (occupant?.isSync && (occupant.startedAt === null || occupant.startedAt >= due.last)) {
    const errorMessage = `Execution ${occupant.executionId} syncs to a commit at least as new as this tick.`;
    const tick = { status: 'skipped', errorCode: 'satisfied', errorMessage } as const;
    return { nextRunAt, run: null, passedOver: pass(due, { ...tick, satisfiedBy: occupant.executionId }) };
  }
  const lateSeconds = (now.getTime() - due.last.getTime()) / 1000;
  const graceSeconds = Math.max(schedule.misfireGraceSeconds, MIN_GRACE_SECONDS);
  if (lateSeconds > graceSeconds) {
    const errorMessage = `The tick was claimed ${Math.round(lateSeconds)} s late; the grace period is ${graceSeconds} s.`;
    const isCaughtUp = schedule.catchUp === 'latest' && occupant === null;
    return {
      nextRunAt,
      run: isCaughtUp ? { scheduledFor: null, coalescedCount: due.count } : null,
      passedOver: pass(due, { status: 'missed', errorCode: 'missed', errorMessage, satisfiedBy: null }),
    };
  }
  if (occupant !== null) {
    const errorMessage = `The run of execution ${occupant.executionId} began before this tick and was still in progress.`;
    const tick = { status: 'skipped', errorCode: 'overlap', errorMessage } as const;
    return { nextRunAt, run: null, passedOver: pass(due, { ...tick, satisfiedBy: null }) };
  }
  const earlier = dueTicks(schedule, cron, new Date(due.last.getTime() - 1));
  const errorMessage = `Coalesced into the tick of ${due.last.toISOString()}.`;
  return {
    nextRunAt,
    run: { scheduledFor: due.last, coalescedCount: due.count - 1 },
    passedOver: pass(earlier, {
      status: 'skipped',
      errorCode: 'coalesced',
      errorMessage,
      satisfiedBy: 'run',
    }),
  };
}

/** Ticks by the schedule's own expression and zone. Null and empty while it is paused. */
export const scheduleTiming: ScheduleTiming = {
  next: (schedule, now) => (schedule.isActive ? nextTick(cronOf(schedule), schedule.timezone, now) : null),
  superseded(schedule, now) {
    const errorMessage = 'The schedule was edited or deleted before this tick was claimed.';
    const tick = { status: 'skipped', errorCode: 'superseded', errorMessage, satisfiedBy: null } as const;
    return dueSpans(schedule, now).map((span) => ({ ...span, ...tick }));
  },
};

/** The stored tick alone where the expression or the zone cannot be read, because an edit must be able to repair it. */
function dueSpans(schedule: Schedule, now: Date): Span[] {
  const { nextRunAt, timezone } = schedule;
  if (!nextRunAt || nextRunAt > now) return [];
  try {
    const cron = cronOf(schedule);
    return spansOf(dueTicks(schedule, cron, now)!, cron, timezone);
  } catch (thrown) {
    if (toRepotideError(thrown).kind !== 'invalid') throw thrown;
    return [{ scheduledFor: nextRunAt, scheduledUntil: null, coalescedCount: 0 }];
  }
}

/** The stored tick counts also when the expression does not give it: somebody may have set it by hand. */
function dueTicks({ nextRunAt, timezone }: Schedule, cron: CronSchedule, until: Date): TickRange | null {
  if (!nextRunAt || nextRunAt > until) return null;
  const further = ticksBetween(cron, timezone, new Date(nextRunAt.getTime() + 1), until);
  return { first: nextRunAt, last: further?.last ?? nextRunAt, count: 1 + (further?.count ?? 0) };
}

type Span = Pick<PassedOverTick, 'scheduledFor' | 'scheduledUntil' | 'coalescedCount'>;

function spansOf({ first, last, count }: TickRange, cron: CronSchedule, timezone: string): Span[] {
  if (count > MAX_ENUMERATED_TICKS) {
    return [{ scheduledFor: first, scheduledUntil: last, coalescedCount: count - 1 }];
  }
  const ticks = [first, ...nextTicks(cron, timezone, first, count - 1)];
  return ticks.map((scheduledFor) => ({ scheduledFor, scheduledUntil: null, coalescedCount: 0 }));
}

/** The stored tick while it is still to come: the clock may have been set back. */
function laterOf(stored: Date | null, now: Date): Date | null {
  return stored && stored > now ? stored : null;
}
