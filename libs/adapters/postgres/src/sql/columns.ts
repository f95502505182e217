/** `lastSyncedCommit` -> `last_synced_commit`. */
export function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns of a type. A property added to the type is a compile error until it is listed here. */
export function columnsOf<T>(properties: Record<keyof T & string, true>): readonly (keyof T & string)[] {
  return Object.keys(properties) as (keyof T & string)[];
}

/** A select or returning list that yields rows with the properties' own names. */
export function selectList(properties: readonly string[], table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return properties.map((property) => `${prefix}${columnName(property)} AS "${property}"`).join(', ');
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
