import { createHash } from 'node:crypto';
import { type Schedule } from '@core/domain';
import { CRON_FIELD_NAMES, type CronFieldName } from './cron-fields.js';
import { parseCron, type CronSchedule } from './cron.js';

/** The values of `H`. The last day is 28 because every month has it. */
const SPREAD: Record<CronFieldName, { min: number; max: number }> = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  day_of_month: { min: 1, max: 28 },
  month: { min: 1, max: 12 },
  day_of_week: { min: 0, max: 6 },
};

/**
 * A schedule's expression. `H` gets the same number in all schedules of a repository, so their ticks coincide and one run
 * satisfies them.
 * @throws invalid `cron_invalid`.
 */
export function cronOf({
  cronExpression,
  repositoryId,
}: Pick<Schedule, 'cronExpression' | 'repositoryId'>): CronSchedule {
  return parseCron(spreadCron(cronExpression, repositoryId), cronExpression);
}

/**
 * Replaces each `H` of a cron expression by a number derived from the key, evenly distributed over all keys. `H` becomes
 * any value of its field, `H(2-5)` a value from 2 to 5, `H/15` every fifteenth value from an offset below 15. The rest is
 * unchanged; the cron parser validates the result.
 */
export function spreadCron(expression: string, key: string): string {
  return expression
    .trim()
    .split(/\s+/)
    .map((field, position) => {
      const name = CRON_FIELD_NAMES[position];
      return name === undefined ? field : spreadField(field, name, hashOf(`${key} ${name}`));
    })
    .join(' ');
}

function spreadField(field: string, name: CronFieldName, hash: number): string {
  return field.replace(
    /(^|,)H(?:\((\d{1,2})-(\d{1,2})\))?(?:\/(\d{1,2}))?(?=,|$)/g,
    (text, before: string, from?: string, to?: string, step?: string) => {
      const whole = SPREAD[name];
      const { min, max } =
        from === undefined || to === undefined ? whole : { min: Number(from), max: Number(to) };
      const stride = step === undefined ? 0 : Number(step);
      const isOutside = min < whole.min || max > whole.max || max < min;
      const isWrong = isOutside || (step !== undefined && (stride < 1 || stride > max - min + 1));
      if (isWrong) return text;
      if (stride === 0) return `${before}${min + (hash % (max - min + 1))}`;
      return `${before}${min + (hash % stride)}-${max}/${stride}`;
    },
  );
}

function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
