/** A B-tree entry holds at most 2,704 bytes, and two ids share it with the path. */
const LONGEST_KEY_BYTES = 2600;

/**
 * A longer path cannot be part of a key, so its row is in the child table `<table>_long`, keyed by the path's
 * SHA-256. Only inserts must choose the table; all other statements reach the child by inheritance.
 */
export function isLongPath(path: string): boolean {
  return Buffer.byteLength(path) > LONGEST_KEY_BYTES;
}

/** SQL of {@link isLongPath} for a column or an expression. */
export const longPathSql = (path: string): string => `octet_length(${path}) > ${LONGEST_KEY_BYTES}`;

/** SQL of a long row's key. */
export const pathKeySql = (path: string): string => `sha256(convert_to(${path}, 'UTF8'))`;
