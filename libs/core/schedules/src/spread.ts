import { createHash } from 'node:crypto';
import { CRON_FIELD_NAMES, type CronFieldName } from './cron-fields.js';

/** The values of `H`; days end at 28, which every month has. */
const SPREAD: Record<CronFieldName, { min: number; max: number }> = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  day_of_month: { min: 1, max: 28 },
  month: { min: 1, max: 12 },
  day_of_week: { min: 0, max: 6 },
};

/**
 * Replaces each `H` of a cron expression by a number that follows from the key alone, evenly over all keys: `H` is any
 * value of its field, `H(2-5)` one of these, `H/15` every fifteenth from an offset below fifteen. The rest stays as
 * it is; the cron parser validates the result.
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
