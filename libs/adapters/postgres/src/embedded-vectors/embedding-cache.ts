import { type EmbeddingCache } from '@core/domain';
import { LOCKS } from '../sql/advisory-locks.js';
import { type Database } from '../sql/database.js';
import { bytesOfVector, vectorOfBytes } from './vector-bytes.js';

/** An entry marked within this time is not marked again: marking each use would turn every read into a write. */
const TOUCH_AFTER = `interval '1 day'`;
/** Three renewals. A claim of a killed process delays others for so long. */
const CLAIM_TIME = `interval '6 seconds'`;

/**
 * Vectors by model and content hash, shared by all pods and kept over restarts; eviction bounds their number.
 * @param options.hasClaims false: each claim is granted without a request to Postgres, for a model that costs nothing.
 */
export function createEmbeddingCache(db: Database, { hasClaims = true } = {}): EmbeddingCache {
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
    async claim(modelId, contentHashes) {
      if (!hasClaims) return { vectors: new Map(), claimed: [...contentHashes] };
      // In one order, so that two that claim the same texts do not deadlock.
      const rows = await db.query<ClaimRow>(CLAIM, [modelId, [...contentHashes].sort()]);
      return {
        vectors: new Map(
          rows.flatMap((row) => (row.vector ? [[row.contentHash, vectorOfBytes(row.vector)]] : [])),
        ),
        claimed: rows.flatMap(({ vector, contentHash }) => (vector ? [] : [contentHash])),
      };
    },
    renew: async (modelId, contentHashes) => void (await db.query(RENEW, [modelId, contentHashes])),
    release: async (modelId, contentHashes) => void (await db.query(RELEASE, [modelId, contentHashes])),
  };
}

export class EmbeddingCacheEvictor {
  constructor(private readonly db: Database) {}

  /**
   * Removes the least recently used vectors until `maxEntries` remain. Safe to repeat, also from several pods at once.
   * @returns the number of removed vectors, and the remaining entries and bytes.
   */
  evict(maxEntries: number): Promise<{ evicted: number; entries: number; bytes: number }> {
    return this.db.transaction(async (tx) => {
      const isMine = await tx.has('SELECT WHERE pg_try_advisory_xact_lock($1::bigint)', [LOCKS.eviction]);
      const deleted = isMine ? await tx.query(EVICT, [maxEntries]) : [];
      // Those of processes that were killed.
      await tx.query('DELETE FROM embedding_claims WHERE expires_at < clock_timestamp()');
      const size = await tx.one<{ entries: number; bytes: number }>(
        `SELECT count(*) AS entries, pg_total_relation_size('embedding_cache') AS bytes FROM embedding_cache`,
      );
      return { evicted: deleted.length, ...size };
    });
  }
}

interface CacheRow {
  contentHash: string;
  vector: Buffer;
}

interface ClaimRow {
  contentHash: string;
  /** Null: the text is claimed now. */
  vector: Buffer | null;
}

const FIND = `
  WITH used AS (
    UPDATE embedding_cache SET used_at = now() WHERE model_id = $1 AND content_hash IN (
      SELECT content_hash FROM embedding_cache
      WHERE model_id = $1 AND content_hash = ANY($2) AND used_at < now() - ${TOUCH_AFTER}
      FOR NO KEY UPDATE SKIP LOCKED))
  SELECT content_hash, vector FROM embedding_cache
  WHERE model_id = $1 AND content_hash = ANY($2)`;

const STORE = `
  WITH ended AS (DELETE FROM embedding_claims WHERE model_id = $1 AND content_hash = ANY($2))
  INSERT INTO embedding_cache (model_id, content_hash, vector)
  SELECT $1, entry.* FROM unnest($2::text[], $3::bytea[]) AS entry
  ON CONFLICT (model_id, content_hash) DO NOTHING`;

/** A text that is stored while this runs may be claimed again; it is then embedded twice. */
const CLAIM = `
  WITH cached AS (
    SELECT content_hash, vector FROM embedding_cache WHERE model_id = $1 AND content_hash = ANY($2)),
  claimed AS (
    INSERT INTO embedding_claims AS c (model_id, content_hash, expires_at)
    SELECT $1, hash, clock_timestamp() + ${CLAIM_TIME} FROM unnest($2::text[]) AS hash
    WHERE hash NOT IN (SELECT content_hash FROM cached)
    ON CONFLICT (model_id, content_hash) DO UPDATE SET expires_at = EXCLUDED.expires_at WHERE c.expires_at < clock_timestamp()
    RETURNING content_hash)
  SELECT content_hash, vector FROM cached UNION ALL SELECT content_hash, NULL FROM claimed`;

const RENEW = `
  UPDATE embedding_claims SET expires_at = clock_timestamp() + ${CLAIM_TIME} WHERE model_id = $1 AND content_hash = ANY($2)`;

const RELEASE = `DELETE FROM embedding_claims WHERE model_id = $1 AND content_hash = ANY($2)`;

const EVICT = `
  DELETE FROM embedding_cache WHERE (model_id, content_hash) IN (
    SELECT model_id, content_hash FROM embedding_cache ORDER BY used_at DESC OFFSET $1) RETURNING 1`;
