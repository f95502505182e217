import { EXECUTION_TRIGGERS, type SortOf } from '@core/domain';
import { query } from './model.js';
import { instant, namedOneOf, oneOf, queryNumber, text, uuid } from './fields.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
// More than any client needs, and within Postgres' bigint.
const MAX_OFFSET = 2_147_483_647;

/** `limit` and `offset` of every list. */
export const PAGE = {
  limit: queryNumber(1, MAX_LIMIT, 'How many items to answer.').prefault(DEFAULT_LIMIT),
  offset: queryNumber(0, MAX_OFFSET, 'How many items to skip.').prefault(0),
};

/** A list without filters. */
export const PageQueryDto = query(PAGE);

/** The `sort` parameter of a list: one of its columns; a minus before it reverses the order. */
export function sortBy<Column extends string>(columns: readonly Column[], byDefault: SortOf<Column>) {
  const orders = columns.flatMap((column) => [column, `-${column}`] as SortOf<Column>[]);
  return oneOf(
    orders,
    'What to order by; a minus before it reverses the order. Rows without a value sort lowest, equal rows by id.',
    { default: byDefault },
  ).optional();
}

/** A filter by the id of a row. */
export const idFilter = (description: string) => uuid(description, { example: undefined }).optional();

/** The start or end of a time range. */
export const instantFilter = (description: string) => instant(description, { example: undefined }).optional();

export const triggerFilter = namedOneOf(
  'ExecutionTrigger',
  EXECUTION_TRIGGERS,
  'Only runs that were started by this.',
).optional();

export const podFilter = text(255, 'Only runs of this pod.', { example: 'repotide-0' }).optional();
