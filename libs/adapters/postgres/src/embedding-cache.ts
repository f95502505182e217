import { type EmbeddingCache } from '@core/domain';
import { type Database, type Queryable } from './database.js';
import { bytesOfVector, vectorOfBytes } from './vector-bytes.js';

/** An entry used within the day is recent enough: marking each use would turn every read into a write. */
const TOUCH_AFTER = `interval '1 day'`;
/** Evicting sorts by age, so it waits until this share of `maxEntries` was added by this process. */
const EVICTION_SHARE = 0.05;
/** Lets one process evict at a time; the value is arbitrary. */
const EVICTION_LOCK = 7_305_041_966;

/**
 * Vectors by model and content hash, kept in Postgres for all pods and restarts.
 * @param options.maxEntries bound of the table, exceeded by a twentieth per process at most; the entries that were
 *   unused for longest leave first.
 */
export function createEmbeddingCache(db: Database, options: { maxEntries: number }): EmbeddingCache {
  const evictAfter = Math.max(1, Math.floor(options.maxEntries * EVICTION_SHARE));
  let added = 0;
  return {
    async find(modelId, contentHashes) {
      if (contentHashes.length === 0) return new Map();
      const rows = await db.query<CacheRow>(FIND, [modelId, contentHashes]);
      return new Map(rows.map((row) => [row.contentHash, vectorOfBytes(row.vector)]));
    },
    async store(modelId, entries) {
      if (entries.size === 0) return;
      // Everybody inserts in the same order, so that two who store the same hashes do not deadlock.
      const hashes = [...entries.keys()].sort();
      const vectors = hashes.map((hash) => bytesOfVector(entries.get(hash) ?? new Float32Array()));
      const stored = await db.query(STORE, [modelId, hashes, vectors]);
      added += stored.length;
      if (added < evictAfter) return;
      added = 0;
      await db.transaction((tx) => evict(tx, options.maxEntries));
    },
  };
}

interface CacheRow {
  contentHash: string;
  vector: Buffer;
}

const FIND = `
  WITH used AS (
    UPDATE embedding_cache SET used_at = now() WHERE model_id = $1 AND content_hash IN (
      SELECT content_hash FROM embedding_cache
      WHERE model_id = $1 AND content_hash = ANY($2) AND used_at < now() - ${TOUCH_AFTER}
      FOR NO KEY UPDATE SKIP LOCKED))
  SELECT content_hash AS "contentHash", vector FROM embedding_cache
  WHERE model_id = $1 AND content_hash = ANY($2)`;

const STORE = `
  INSERT INTO embedding_cache (model_id, content_hash, vector)
  SELECT $1, entry.* FROM unnest($2::text[], $3::bytea[]) AS entry
  ON CONFLICT (model_id, content_hash) DO NOTHING RETURNING 1`;

async function evict(tx: Queryable, maxEntries: number): Promise<void> {
  const [lock] = await tx.query<{ isMine: boolean }>(
    `SELECT pg_try_advisory_xact_lock($1::bigint) AS "isMine"`,
    [EVICTION_LOCK],
  );
  if (lock?.isMine !== true) return;
  await tx.query(
    `DELETE FROM embedding_cache WHERE (model_id, content_hash) IN (
      SELECT model_id, content_hash FROM embedding_cache ORDER BY used_at DESC OFFSET $1)`,
    [maxEntries],
  );
}
