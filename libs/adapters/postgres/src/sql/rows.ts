/** `lastSyncedCommit` -> `last_synced_commit`. */
export function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Renames the columns of a result: `last_synced_commit` -> `lastSyncedCommit`. So a row type of the domain follows its
 * table, and a statement may select all columns. Of two columns with the same name the last one counts.
 */
export function withPropertyNames<Row extends object>(rows: readonly Record<string, unknown>[]): Row[] {
  const names = Object.keys(rows[0] ?? {}).map((column) => [column, propertyName(column)] as const);
  return rows.map((row) => {
    const named: Record<string, unknown> = {};
    for (const [column, name] of names) named[name] = row[column];
    return named as Row;
  });
}

export function propertyName(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The given properties alone: others of the object must never reach the SQL. Undefined where the object has none. */
export function pick<T extends object, Name extends keyof T & string>(
  source: T,
  properties: readonly Name[],
): Pick<T, Name> {
  return Object.fromEntries(properties.map((property) => [property, source[property]])) as Pick<T, Name>;
}

/** A statement with its values. The names of the properties of a row become columns, so never pass a caller's object. */
interface Statement {
  sql: string;
  values: unknown[];
}

/** An insert without a RETURNING clause. Undefined means the column's default. */
export function insertInto(table: string, row: object): Statement {
  const given = Object.entries(row).filter(([, value]) => value !== undefined);
  const columns = given.map(([property]) => columnName(property));
  const places = given.map((_, index) => `$${index + 1}`);
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`,
    values: given.map(([, value]): unknown => value),
  };
}

/** `a = $2, b = $3` for a partial update. Undefined means unchanged. @param first the number of the first parameter. */
export function assignments(changes: object, first: number): Statement {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const sql = given.map(([property], index) => `${columnName(property)} = $${first + index}`);
  return { sql: sql.join(', '), values: given.map(([, value]): unknown => value) };
}

/** An edit of the row with this id, without a RETURNING clause: its revision grows. @param also further assignments. */
export function editOf(
  table: string,
  id: string | null,
  changes: object,
  also: readonly string[] = [],
): Statement {
  const { sql, values } = assignments(changes, 2);
  const set = [
    ...(sql === '' ? [] : [sql]),
    ...also,
    'revision = revision + 1',
    'updated_at = clock_timestamp()',
  ];
  return { sql: `UPDATE ${table} SET ${set.join(', ')} WHERE id = $1`, values: [id, ...values] };
}

/** For {@link editOf}: the row is deleted, but stays. */
export const DELETED = 'deleted_at = clock_timestamp()';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Null, which equals no id, for text that is not a uuid: such an id is unknown, not an error. */
export function uuidOrNull(text: string): string | null {
  return UUID.test(text) ? text : null;
}

/** Postgres text cannot hold NUL or lone surrogates, so messages for people get U+FFFD instead. */
export function storableMessage(text: string | null): string | null {
  return text === null ? null : text.replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}');
}
