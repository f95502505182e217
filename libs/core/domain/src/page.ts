/** One page of a list, and the number of all matching rows. */
export interface Page<T> {
  items: T[];
  total: number;
}
export interface PageRequest {
  limit: number;
  offset: number;
}

/**
 * The sort column of a list; a leading minus means descending. Null is the lowest value. A list with millions of rows
 * (executions) offers only indexed columns; the other lists have thousands of rows.
 */
export type SortOf<Column extends string> = Column | `-${Column}`;
export interface SortedPageRequest<Column extends string> extends PageRequest {
  /** Default: the order described at the list method. */
  sort?: SortOf<Column>;
}

/** Reads every page of a list. */
export async function allItems<Item>(
  readPage: (page: PageRequest) => Promise<Page<Item>>,
  limit = 500,
): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const { items } = await readPage({ limit, offset: all.length });
    all.push(...items);
    if (items.length < limit) return all;
  }
}
