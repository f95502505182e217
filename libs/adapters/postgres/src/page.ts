import { type Page, type PageRequest } from '@core/domain';
import { type Queryable } from './database.js';

/** Conditions with their values; `?` stands for the value of the condition. */
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

/** One page and the number of all rows that match; the order must be total, or rows repeat between pages. */
export async function selectPage<Row extends object>(
  db: Queryable,
  list: { select: string; from: string; where: Conditions; orderBy: string },
  page: PageRequest,
): Promise<Page<Row>> {
  const { select, from, where, orderBy } = list;
  const [count] = await db.query<{ total: number }>(
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
