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

/** The given properties alone: others of the object must never reach the SQL. */
export function pick<T extends object, Name extends keyof T & string>(
  source: T,
  properties: readonly Name[],
): Pick<T, Name> {
  return Object.fromEntries(properties.map((property) => [property, source[property]])) as Pick<T, Name>;
}

/** An insert without a RETURNING clause. Undefined means the column's default. The names of the properties become columns, so never pass a caller's object. */
export function insertInto(table: string, row: object): { sql: string; values: unknown[] } {
  const given = Object.entries(row).filter(([, value]) => value !== undefined);
  const columns = given.map(([property]) => columnName(property));
  const places = given.map((_, index) => `$${index + 1}`);
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`,
    values: given.map(([, value]): unknown => value),
  };
}

/**
 * `a = $2, b = $3` and the values for a partial update. Only properties in `allowed` are used, so that other
 * properties of the object never reach the SQL. Undefined means unchanged.
 */
export function assignments<T extends object>(
  changes: T,
  allowed: readonly (keyof T & string)[],
  firstParameter: number,
): { sql: string[]; values: unknown[] } {
  const given = allowed.filter((property) => changes[property] !== undefined);
  return {
    sql: given.map((property, index) => `${columnName(property)} = $${firstParameter + index}`),
    values: given.map((property) => changes[property]),
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Null, which equals no id, for text that is not a uuid: such an id is unknown, not an error. */
export function uuidOrNull(text: string): string | null {
  return UUID.test(text) ? text : null;
}

/** Postgres text cannot hold NUL or lone surrogates, so messages for people get U+FFFD instead. */
export function storableMessage(text: string | null): string | null {
  return text === null ? null : text.replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}');
}
