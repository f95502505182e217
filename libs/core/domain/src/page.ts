/** A page of a list and the number of all that match. */
export interface Page<T> {
  items: T[];
  total: number;
}
export interface PageRequest {
  limit: number;
  offset: number;
}

/**
 * What the rows of a list are ordered by; with a minus before it, downwards. What has no value counts as the least.
 * A list offers only columns that an index backs, or that are sorted among few: there are millions of executions, but
 * thousands of the others, and the files of one repository.
 */
export type SortOf<Column extends string> = Column | `-${Column}`;
export interface SortedPageRequest<Column extends string> extends PageRequest {
  /** Default: the order that the list describes. */
  sort?: SortOf<Column>;
}
