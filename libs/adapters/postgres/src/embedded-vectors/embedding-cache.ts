import { type EmbeddingCache, type EmbeddingCacheKeeper } from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { bytesOfVector, vectorOfBytes } from '../sql/vector-bytes.js';

/** An entry marked within this time is not marked again: marking each use would turn every read into a write. */
const TOUCH_AFTER = `interval '1 day'`;
/** Lets one process evict at a time; the value is arbitrary. */
const EVICTION_LOCK = 7_305_041_967;

/** Vectors by model and content hash, shared by all pods and kept over restarts; eviction bounds their number. */
export function createEmbeddingCache(db: Database): EmbeddingCache {
  return {
    async find(modelId, contentHashes) {
      if (contentHashes.length === 0) return new Map();
      const rows = await db.query<CacheRow>(FIND, [modelId, contentHashes]);
      return new Map(rows.map((row) => [row.contentHash, vectorOfBytes(row.vector)]));
    },
    async store(modelId, entries) {
      if (entries.size === 0) return;
      // All writers insert in the same order, so that two that store the same hashes do not deadlock.
      const hashes = [...entries.keys()].sort();
      const vectors = hashes.map((hash) => bytesOfVector(entries.get(hash) ?? new Float32Array()));
      await db.query(STORE, [modelId, hashes, vectors]);
    },
  };
}

export function createEmbeddingCacheKeeper(db: Database): EmbeddingCacheKeeper {
  return { evict: (maxEntries) => db.transaction((tx) => evict(tx, maxEntries)) };
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
  ON CONFLICT (model_id, content_hash) DO NOTHING`;

async function evict(tx: Queryable, maxEntries: number): ReturnType<EmbeddingCacheKeeper['evict']> {
  const [lock] = await tx.query<{ isMine: boolean }>(
    `SELECT pg_try_advisory_xact_lock($1::bigint) AS "isMine"`,
    [EVICTION_LOCK],
  );
  const deleted =
    lock?.isMine === true
      ? await tx.query(
          `DELETE FROM embedding_cache WHERE (model_id, content_hash) IN (
            SELECT model_id, content_hash FROM embedding_cache ORDER BY used_at DESC OFFSET $1) RETURNING 1`,
          [maxEntries],
        )
      : [];
  const [size] = await tx.query<{ entries: number; bytes: number }>(
    `SELECT count(*) AS entries, pg_total_relation_size('embedding_cache') AS bytes FROM embedding_cache`,
  );
  return { evicted: deleted.length, entries: size?.entries ?? 0, bytes: size?.bytes ?? 0 };
}
