import { type Page, type PageRequest, type SortOf } from '@core/domain';
import { type Queryable } from './database.js';

/** Conditions with their values; `?` is the placeholder for a condition's value. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly parts: string[] = [];

  constructor(...always: string[]) {
    this.parts.push(...always);
  }

  /** Adds the condition unless the value is undefined: an absent filter matches all. */
  add(condition: string, value: unknown): this {
    if (value === undefined) return this;
    this.values.push(value);
    this.parts.push(condition.replaceAll('?', `$${this.values.length}`));
    return this;
  }

  always(condition: string): this {
    this.parts.push(condition);
    return this;
  }

  get sql(): string {
    return this.parts.length === 0 ? 'true' : this.parts.join(' AND ');
  }
}

/** The SQL of a column in both directions. */
export interface Order {
  up: string;
  down: string;
}

/** For a column that is never null: one plain index serves both directions. */
export function orderByAlways(sql: string): Order {
  return { up: sql, down: `${sql} DESC` };
}

/** For a column that may be null; null is the lowest value. One index `DESC NULLS LAST` serves both directions. */
export function orderByMaybe(sql: string): Order {
  return { up: `${sql} NULLS FIRST`, down: `${sql} DESC NULLS LAST` };
}

/** A total order: rows with equal values are ordered by their key, in the same direction. */
export function orderOf<Column extends string>(
  sort: SortOf<Column>,
  columns: Readonly<Record<Column, Order>>,
  key: string,
): string {
  const isDownwards = sort.startsWith('-');
  const { up, down } = columns[(isDownwards ? sort.slice(1) : sort) as Column];
  return isDownwards ? `${down}, ${key} DESC` : `${up}, ${key}`;
}

/** One page and the number of all rows that match; the order must be total, or rows repeat between pages. */
export async function selectPage<Row extends object>(
  db: Queryable,
  list: { select?: string; from: string; where?: Conditions; orderBy: string },
  page: PageRequest,
): Promise<Page<Row>> {
  const { select = '*', from, where = new Conditions(), orderBy } = list;
  const count = await db.first<{ total: number }>(
    `SELECT count(*) AS total FROM ${from} WHERE ${where.sql}`,
    where.values,
  );
  const total = count?.total ?? 0;
  if (page.offset >= total || page.limit === 0) return { items: [], total };
  const next = where.values.length + 1;
  const items = await db.query<Row>(
    `SELECT ${select} FROM ${from} WHERE ${where.sql} ORDER BY ${orderBy} LIMIT $${next} OFFSET $${next + 1}`,
    [...where.values, page.limit, page.offset],
  );
  return { items, total };
}
