import { assertTimezone, parseCron, spreadCron } from '@core/schedules';
import { RepotideError } from '@core/domain';

/**
 * Checks a cron expression, which may contain `H`, and a time zone. Its errors name the field of the request.
 * @param prefix of the request's fields, e.g. `schedule.`
 * @throws invalid `cron_invalid`, `timezone_invalid`.
 */
export function assertTiming(cronExpression: string, timezone: string, prefix = ''): void {
  try {
    parseCron(spreadCron(cronExpression, 'any'), cronExpression);
    assertTimezone(timezone);
  } catch (error) {
    if (!(error instanceof RepotideError)) throw error;
    const { field: cronField, ...details } = error.details;
    const own =
      error.code === 'cron_invalid'
        ? { field: `${prefix}cron_expression`, cron_field: cronField }
        : { field: `${prefix}timezone` };
    const { code, message } = error;
    throw new RepotideError('invalid', code, message, { cause: error, details: { ...details, ...own } });
  }
}
