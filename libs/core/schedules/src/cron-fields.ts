import { RepotideError } from '@core/domain';
import { adviceOnItem, adviceOnParts, backwardsAdvice, stepAdvice } from './cron-advice.js';

export const CRON_FIELD_NAMES = ['minute', 'hour', 'day_of_month', 'month', 'day_of_week'] as const;
export type CronFieldName = (typeof CRON_FIELD_NAMES)[number];

export interface CronField {
  values: ReadonlySet<number>;
  isWildcard: boolean;
}
export type CronFields = Record<CronFieldName, CronField>;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface FieldRange {
  /** What the values run through. */
  period: string;
  min: number;
  max: number;
  names?: { words: readonly string[]; first: number };
}
const RANGES: Record<CronFieldName, FieldRange> = {
  minute: { period: 'hour', min: 0, max: 59 },
  hour: { period: 'day', min: 0, max: 23 },
  day_of_month: { period: 'month', min: 1, max: 31 },
  month: { period: 'year', min: 1, max: 12, names: { words: MONTHS, first: 1 } },
  // 0 and 7 are Sunday, as in other cron implementations.
  day_of_week: { period: 'week', min: 0, max: 7, names: { words: WEEKDAYS, first: 0 } },
};

/**
 * Parses the five fields of a cron expression: numbers, names, `*`, ranges, lists and steps. It refuses six fields, an
 * empty string, `?`, `L` and `@daily`, because cron libraries disagree about their meaning.
 * @param written the expression as its author wrote it, for messages.
 * @throws invalid `cron_invalid`; `details` names the field, what was found and what is expected.
 */
export function parseCronFields(expression: string, written: string): CronFields {
  const parts = expression.trim().split(/\s+/).filter(Boolean);
  if (parts.length !== CRON_FIELD_NAMES.length) {
    const message =
      `The cron expression "${written}" has ${parts.length} field(s); expected five: ` +
      `minute hour day-of-month month day-of-week; ${adviceOnParts(parts) ?? 'an example is "*/15 * * * *"'}.`;
    const details = { field: 'expression', found: written, expected: 'five fields' };
    throw new RepotideError('invalid', 'cron_invalid', message, { details });
  }
  const fieldAt = (name: CronFieldName, position: number) => parseField(name, parts[position]!, written);
  const fields = CRON_FIELD_NAMES.map((name, position) => [name, fieldAt(name, position)]);
  return Object.fromEntries(fields) as CronFields;
}

function parseField(name: CronFieldName, text: string, expression: string): CronField {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    for (const value of parseItem({ name, item, expression }))
      values.add(name === 'day_of_week' ? value % 7 : value);
  }
  return { values, isWildcard: text.startsWith('*') };
}

/** Position of a text, for error messages. */
interface Place {
  name: CronFieldName;
  item: string;
  expression: string;
}

function parseItem(place: Place): number[] {
  const { name, item } = place;
  const { min, max, period } = RANGES[name];
  const match = /^(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/(\d+))?$/i.exec(item);
  if (!match) throw fieldError(place);
  const [, star, from = '', to, step] = match;
  const stride = step === undefined ? 1 : Number(step);
  if (stride < 1 || stride > max) throw fieldError(place, stepAdvice(period, max));
  const start = star ? min : parseValue(from, place);
  const openEnd = star || step !== undefined ? lastOf(name) : start;
  const end = to === undefined ? openEnd : parseValue(to, place);
  if (start > end) throw fieldError(place, backwardsAdvice(period, item, endsOf(name, from)));
  const values: number[] = [];
  for (let value = start; value <= end; value += stride) values.push(value);
  return values;
}

/** `*` in the weekday field must not count Sunday twice: `*` and a step end at 6. */
function lastOf(name: CronFieldName): number {
  return name === 'day_of_week' ? 6 : RANGES[name].max;
}

function parseValue(text: string, place: Place): number {
  const { min, max, names } = RANGES[place.name];
  const word = names?.words.indexOf(text.toLowerCase()) ?? -1;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  const value = names && word >= 0 ? names.first + word : number;
  if (!(value >= min && value <= max)) throw fieldError(place);
  return value;
}

/** The first and the last value of a field: in words when the value is a word. */
function endsOf(name: CronFieldName, value: string): [string, string] {
  const { min, names } = RANGES[name];
  if (names && /^[a-z]/i.test(value)) return [names.words[0]!, names.words.at(-1)!];
  return [String(min), String(lastOf(name))];
}

function fieldError({ name, item, expression }: Place, advice?: string): RepotideError {
  const { min, max, names } = RANGES[name];
  const words = names ? ` or ${names.words[0]}-${names.words.at(-1)}` : '';
  const expected =
    advice ??
    adviceOnItem(item, names?.words ?? []) ??
    `${min}-${max}${words}, *, H, a range a-b, a list a,b or a step */n`;
  const field = name.replaceAll('_', '-');
  const message = `The ${field} field of the cron expression "${expression}" holds "${item}"; expected ${expected}.`;
  return new RepotideError('invalid', 'cron_invalid', message, {
    details: { field: name, found: item, expected },
  });
}
