import { type Wanted } from '@core/discovery';
import { type Discovery, type DiscoveryStore, type NextRunTime } from '@core/domain';
import { nextTick, parseCron, spreadCron } from '@core/schedules';
import { assertTiming } from '../schedules/assert-timing.js';

/** The next time at which a discovery runs; null while it is paused. The name gives the numbers of `H`. */
export const nextLook: NextRunTime = ({ name, cronExpression, timezone, isActive }, now) =>
  isActive ? nextTick(parseCron(spreadCron(cronExpression, name)), timezone, now) : null;

/** The schedule of a new repository. `H` depends only on host, project and branch, so every pod computes the same value. */
export function scheduleOf(
  discovery: Pick<Discovery, 'baseUrl' | 'scheduleCronExpression' | 'scheduleTimezone'>,
  { projectId, branch }: Pick<Wanted, 'projectId' | 'branch'>,
  misfireGraceSeconds: number,
): Parameters<DiscoveryStore['register']>[2] {
  const { baseUrl, scheduleCronExpression, scheduleTimezone: timezone } = discovery;
  if (scheduleCronExpression === null) return null;
  const cronExpression = spreadCron(scheduleCronExpression, `${baseUrl} ${projectId} ${branch}`);
  return {
    template: { cronExpression, timezone, misfireGraceSeconds },
    next: (now) => nextTick(parseCron(cronExpression), timezone, now),
  };
}

/** @throws invalid `cron_invalid`, `timezone_invalid`, which name the field. */
export function assertTimings(
  discovery: Pick<Discovery, 'cronExpression' | 'timezone' | 'scheduleCronExpression' | 'scheduleTimezone'>,
): void {
  const { cronExpression, timezone, scheduleCronExpression, scheduleTimezone } = discovery;
  assertTiming(cronExpression, timezone);
  if (scheduleCronExpression === null) return;
  assertTiming(scheduleCronExpression, scheduleTimezone, 'schedule.');
}
