import { type Wanted } from '@core/discovery';
import { RepotideError, type Discovery, type DiscoveryStore, type NextLook } from '@core/domain';
import { assertTimezone, nextTick, parseCron, spreadCron } from '@core/schedules';

/** When a discovery looks next. */
export const nextLook: NextLook = ({ cronExpression, timezone, isActive }, now) =>
  isActive ? nextTick(parseCron(cronExpression), timezone, now) : null;

/** The schedule of a new repository: `H` follows from project and branch, so that it is the same whoever computes it. */
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

/** @throws invalid `cron_invalid`, `timezone_invalid`, naming the field. */
export function assertTimings(
  discovery: Pick<Discovery, 'cronExpression' | 'timezone' | 'scheduleCronExpression' | 'scheduleTimezone'>,
): void {
  const { cronExpression, timezone, scheduleCronExpression, scheduleTimezone } = discovery;
  assertTiming(cronExpression, timezone, '');
  if (scheduleCronExpression === null) return;
  assertTiming(spreadCron(scheduleCronExpression, 'any'), scheduleTimezone, 'schedule.');
}

function assertTiming(expression: string, timezone: string, prefix: string): void {
  try {
    parseCron(expression);
    assertTimezone(timezone);
  } catch (error) {
    if (!(error instanceof RepotideError)) throw error;
    const { field: cronField, ...details } = error.details;
    const isCron = error.code === 'cron_invalid';
    throw new RepotideError('invalid', error.code, error.message, {
      cause: error,
      details: {
        ...details,
        field: `${prefix}${isCron ? 'cron_expression' : 'timezone'}`,
        ...(isCron && { cron_field: cronField }),
      },
    });
  }
}
