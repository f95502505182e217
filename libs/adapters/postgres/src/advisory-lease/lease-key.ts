import { createHash } from 'node:crypto';

/** Distinguishes these locks from other advisory locks of the database. */
const NAMESPACE = 'repotide repository lease ';

/**
 * The two keys of a repository's advisory lock: 62 bits of a hash, so that two repositories never share one in
 * practice. Not negative: `pg_locks` shows them unsigned.
 */
export function leaseKey(repositoryId: string): [lockClass: number, lockObject: number] {
  const hash = createHash('sha256')
    .update(NAMESPACE + repositoryId)
    .digest();
  return [hash.readUInt32BE(0) >>> 1, hash.readUInt32BE(4) >>> 1];
}
