/** The ticks of cron expressions, found by a walk over every minute. Independent of the product: it knows only wall clocks. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface WalkedField {
  values: ReadonlySet<number>;
  isWildcard: boolean;
}
const FIELDS = ['minute', 'hour', 'day_of_month', 'month', 'day_of_week'] as const;
export type WalkedFields = Record<(typeof FIELDS)[number], WalkedField>;

/** The wall clock of a zone in each minute of a span of time. */
export interface WalkedZone {
  fromMs: number;
  untilMs: number;
  /** The local time of each minute, as if it were UTC. */
  locals: Float64Array;
  /** Minutes whose local time occurred before in the span. */
  isRepeated: Uint8Array;
  /** The local times that the clock skipped, and the instant at which it did. */
  gaps: { instant: number; from: number; to: number }[];
}

export function wallClockOf(timezone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (instantMs) => Date.parse(`${format.format(instantMs).replace(' ', 'T')}Z`);
}

/** @param fromMs a full minute. */
export function walkZone(timezone: string, fromMs: number, untilMs: number): WalkedZone {
  const locals = localsOf(wallClockOf(timezone), fromMs, untilMs);
  const isRepeated = new Uint8Array(locals.length);
  const gaps: WalkedZone['gaps'] = [];
  let latest = -Infinity;
  locals.forEach((to, index) => {
    const from = locals[index - 1]! + MINUTE;
    if (index > 0 && to > from) gaps.push({ instant: fromMs + index * MINUTE, from, to });
    isRepeated[index] = to <= latest ? 1 : 0;
    latest = Math.max(latest, to);
  });
  return { fromMs, untilMs, locals, isRepeated, gaps };
}

function localsOf(clock: (instantMs: number) => number, fromMs: number, untilMs: number): Float64Array {
  const locals = new Float64Array(Math.floor((untilMs - fromMs) / MINUTE) + 1);
  for (let hour = fromMs; hour <= untilMs; hour += HOUR) {
    const first = clock(hour);
    // Reading the wall clock is slow. An hour in which it advances by an hour has no change.
    const isSteady = clock(hour + HOUR) - first === HOUR;
    for (let instant = hour; instant < Math.min(hour + HOUR, untilMs + 1); instant += MINUTE)
      locals[(instant - fromMs) / MINUTE] = isSteady ? first + instant - hour : clock(instant);
  }
  return locals;
}

/**
 * Every tick of the span, ascending. A fixed hour inside a gap fires once, later by the gap's length, and in an overlap
 * once; a wildcard hour fires at every minute whose local time matches.
 */
export function walkTicks(fields: WalkedFields, zone: WalkedZone): number[] {
  const isFixed = !fields.hour.isWildcard;
  const ticks = new Set<number>();
  zone.locals.forEach((local, index) => {
    if (isFixed && zone.isRepeated[index] === 1) return;
    if (matches(fields, local)) ticks.add(zone.fromMs + index * MINUTE);
  });
  for (const { instant, from, to } of isFixed ? zone.gaps : [])
    for (let skipped = from; skipped < to; skipped += MINUTE)
      if (matches(fields, skipped)) ticks.add(instant + skipped - from);
  return [...ticks].filter((tick) => tick <= zone.untilMs).sort((one, other) => one - other);
}

function matches(fields: WalkedFields, localMs: number): boolean {
  if (!fields.minute.values.has(Math.floor(localMs / MINUTE) % 60)) return false;
  if (!fields.hour.values.has(Math.floor(localMs / HOUR) % 24)) return false;
  const local = new Date(localMs);
  if (!fields.month.values.has(local.getUTCMonth() + 1)) return false;
  const { day_of_month, day_of_week } = fields;
  const isDate = day_of_month.values.has(local.getUTCDate());
  const isWeekday = day_of_week.values.has(local.getUTCDay());
  if (!day_of_month.isWildcard && !day_of_week.isWildcard) return isDate || isWeekday;
  return isDate && isWeekday;
}

const LAST = [59, 23, 31, 12, 6];
const FIRST = [0, 0, 1, 1, 0];

/** Reads numbers, `*`, ranges, lists and steps; the product's parser reads more. */
export function walkedFields(expression: string): WalkedFields {
  const fields = expression.split(' ').map((text, position) => {
    const values = text.split(',').flatMap((item) => {
      const [range = '', step = '1'] = item.split('/');
      const [from, to = item.includes('/') ? LAST[position] : from] =
        range === '*' ? [FIRST[position], LAST[position]] : range.split('-').map(Number);
      const length = Math.floor((to! - from!) / Number(step)) + 1;
      return Array.from({ length }, (_, index) => from! + index * Number(step));
    });
    return [FIELDS[position], { values: new Set(values), isWildcard: text.startsWith('*') }];
  });
  return Object.fromEntries(fields) as WalkedFields;
}
