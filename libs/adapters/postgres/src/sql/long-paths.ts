/** A B-tree entry holds 2,704 bytes; a path shares it with two ids. */
const LONGEST_KEY_BYTES = 2600;

/**
 * A longer path cannot be part of a key, so its row lives in the child `<table>_long` of its table, where the path's
 * SHA-256 is the key. Only what inserts must know: every other statement on the table reaches the child by inheritance.
 */
export function isLongPath(path: string): boolean {
  return Buffer.byteLength(path) > LONGEST_KEY_BYTES;
}

/** SQL of {@link isLongPath}, of a column or an expression. */
export const longPathSql = (path: string): string => `octet_length(${path}) > ${LONGEST_KEY_BYTES}`;

/** SQL of a long row's key. */
export const pathKeySql = (path: string): string => `sha256(convert_to(${path}, 'UTF8'))`;
