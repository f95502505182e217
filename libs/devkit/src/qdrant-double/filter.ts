import { UnsupportedFeature } from './failure.js';

export type PointId = number | string;
type Condition = Record<string, unknown>;
export interface FilterDocument {
  must?: Condition | Condition[] | null;
  must_not?: Condition | Condition[] | null;
  should?: Condition | Condition[] | null;
  min_should?: unknown;
}

/** The parts of a point that a filter reads. */
export interface Filterable {
  id: PointId;
  sparse: Readonly<Record<string, unknown>>;
  payload: Record<string, unknown>;
}

/** Absent or empty: matches everything, as in Qdrant. */
export function matchesFilter(filter: FilterDocument | null | undefined, point: Filterable): boolean {
  if (filter === null || filter === undefined) return true;
  if (filter.min_should !== null && filter.min_should !== undefined)
    throw new UnsupportedFeature('min_should');
  const should = listOf(filter.should);
  return (
    listOf(filter.must).every((condition) => matchesCondition(condition, point)) &&
    !listOf(filter.must_not).some((condition) => matchesCondition(condition, point)) &&
    (should.length === 0 || should.some((condition) => matchesCondition(condition, point)))
  );
}

/** Every condition on a field, including nested ones: strict mode counts them and requires indexes for the fields. */
export function fieldConditions(filter: FilterDocument | null | undefined): Condition[] {
  if (filter === null || filter === undefined) return [];
  const all = [...listOf(filter.must), ...listOf(filter.must_not), ...listOf(filter.should)];
  return all.flatMap((condition) => (isFilter(condition) ? fieldConditions(condition) : [condition]));
}

function listOf(conditions: Condition | Condition[] | null | undefined): Condition[] {
  if (conditions === null || conditions === undefined) return [];
  return Array.isArray(conditions) ? conditions : [conditions];
}

function isFilter(condition: Condition): boolean {
  return 'must' in condition || 'must_not' in condition || 'should' in condition || 'min_should' in condition;
}

function matchesCondition(condition: Condition, point: Filterable): boolean {
  if (isFilter(condition)) return matchesFilter(condition, point);
  if (Array.isArray(condition['has_id'])) return condition['has_id'].includes(point.id);
  if (typeof condition['has_vector'] === 'string') return condition['has_vector'] in point.sparse;
  if (typeof condition['key'] !== 'string')
    throw new UnsupportedFeature(`condition ${JSON.stringify(condition)}`);
  const values = valuesAt(point.payload, condition['key']);
  if (isObject(condition['match'])) return matchesMatch(condition['match'], values);
  if (isObject(condition['range'])) return matchesRange(condition['range'], values);
  throw new UnsupportedFeature(`condition ${JSON.stringify(condition)}`);
}

/** A list matches when one of its elements does. */
function matchesMatch(match: Condition, values: readonly unknown[]): boolean {
  if ('value' in match) return values.includes(match['value']);
  const { any, except } = match;
  if (Array.isArray(any)) return values.some((value) => any.includes(value));
  if (Array.isArray(except)) return values.some((value) => !except.includes(value));
  throw new UnsupportedFeature(`match ${JSON.stringify(match)}`);
}

function matchesRange(range: Condition, values: readonly unknown[]): boolean {
  const holds = (value: number): boolean =>
    Object.entries(range).every(([bound, limit]) => {
      if (limit === null) return true;
      if (typeof limit !== 'number') throw new UnsupportedFeature(`range ${JSON.stringify(range)}`);
      if (bound === 'lt') return value < limit;
      if (bound === 'lte') return value <= limit;
      return bound === 'gt' ? value > limit : value >= limit;
    });
  return values.some((value) => typeof value === 'number' && holds(value));
}

function valuesAt(payload: Record<string, unknown>, key: string): unknown[] {
  const value = payload[key];
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function isObject(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
