/**
 * UTC units of the stored sums. A quarter is a quarter of an hour: days in Kolkata and Kathmandu do not begin
 * at a full hour of UTC. `rows` are the executions themselves.
 */
export type Level = 'quarter' | 'hour' | 'day' | 'week' | 'month';

/** A part of a range that one level answers; both ends are borders of that level. */
export interface Part {
  level: Level | 'rows';
  from: Date;
  to: Date;
}

const MINUTE = 60_000;
const LENGTH_MS: Record<Exclude<Level, 'month'>, number> = {
  quarter: 15 * MINUTE,
  hour: 60 * MINUTE,
  day: 1440 * MINUTE,
  // Begins on a Thursday, as 1 January 1970 was one.
  week: 7 * 1440 * MINUTE,
};

/**
 * Cuts a range into whole units, as coarse as possible, and puts the rest at both ends into `rows`. The parts
 * cover the range without overlap.
 * @param levels coarse to fine.
 */
export function splitRange(range: { from: Date; to: Date }, levels: readonly Level[]): Part[] {
  const { from, to } = range;
  if (from >= to) return [];
  const [level, ...finer] = levels;
  if (level === undefined) return [{ level: 'rows', from, to }];
  const [start, end] = [ceilTo(level, from), floorTo(level, to)];
  if (start >= end) return splitRange(range, finer);
  return [
    ...splitRange({ from, to: start }, finer),
    { level, from: start, to: end },
    ...splitRange({ from: end, to }, finer),
  ];
}

/** The border of a unit at or before an instant. */
export function floorTo(level: Level, at: Date): Date {
  if (level === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));
  const length = LENGTH_MS[level];
  return new Date(Math.floor(at.getTime() / length) * length);
}

/** The border of a unit at or after an instant. */
export function ceilTo(level: Level, at: Date): Date {
  const start = floorTo(level, at);
  if (start.getTime() === at.getTime()) return start;
  if (level === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1));
  return new Date(start.getTime() + LENGTH_MS[level]);
}
