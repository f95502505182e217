/** The kinds of schedules that a form offers; `custom` takes an expression. */
export const PRESETS = [
  ['quarter', 'every 15 minutes'],
  ['hourly', 'every hour'],
  ['daily', 'every day at'],
  ['weekly', 'every week on'],
  ['custom', 'by a cron expression'],
] as const;
export type Preset = (typeof PRESETS)[number][0];

export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export interface Timing {
  preset: Preset;
  /** `HH:MM` */
  time: string;
  /** Days are counted from 0, which is Sunday. */
  day: string;
  expression: string;
}

/** `H` lets the service choose a minute for each repository, so that not all run at once. */
const QUARTER = 'H/15 * * * *';
const HOURLY = 'H * * * *';

/** The cron expression of a choice. */
export function expressionOf({ preset, time, day, expression }: Timing): string {
  const [hour = '0', minute = '0'] = time.split(':');
  switch (preset) {
    case 'quarter':
      return QUARTER;
    case 'hourly':
      return HOURLY;
    case 'daily':
      return `${Number(minute)} ${Number(hour)} * * *`;
    case 'weekly':
      return `${Number(minute)} ${Number(hour)} * * ${day}`;
    case 'custom':
      return expression;
  }
}

/** The choice that an expression stands for. */
export function timingOf(expression: string): Timing {
  const custom = { preset: 'custom', time: '03:00', day: '1', expression } as const;
  if (expression === QUARTER) return { ...custom, preset: 'quarter' };
  if (expression === HOURLY) return { ...custom, preset: 'hourly' };
  const [, minute, hour, day] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-6])$/.exec(expression) ?? [];
  if (minute === undefined || hour === undefined || day === undefined) return custom;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  return day === '*' ? { ...custom, preset: 'daily', time } : { ...custom, preset: 'weekly', time, day };
}
