import { type Schedule } from '@core/domain';
import { cronOf, nextTicks } from '@core/schedules';
import { assertTiming } from './assert-timing.js';

const SHOWN_TICKS = 5;

type Timing = Pick<Schedule, 'repositoryId' | 'cronExpression' | 'timezone'>;

/** The next ticks, soonest first. */
export function upcomingTicks(timing: Timing, now: Date): Date[] {
  return nextTicks(cronOf(timing), timing.timezone, now, SHOWN_TICKS);
}

/** @throws invalid `cron_invalid`, `timezone_invalid`. */
export function previewSchedule(timing: Timing, now: Date): { nextTicks: Date[] } {
  assertTiming(timing.cronExpression, timing.timezone);
  return { nextTicks: upcomingTicks(timing, now) };
}
