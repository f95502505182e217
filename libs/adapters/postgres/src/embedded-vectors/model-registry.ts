import { type ModelRegistry, type SeenModel } from '@core/domain';
import { type Database } from '../sql/database.js';
import { bytesOfVector, vectorOfBytes } from './vector-bytes.js';

/** The models that embedding servers were seen to run; a row is never removed, as indexes and vectors name it. */
export function createModelRegistry(db: Database): ModelRegistry {
  return {
    async list(name) {
      const rows = await db.query<Omit<SeenModel, 'canary'> & { canary: Buffer }>(
        `SELECT id, name, dimensions, server, canary, limits FROM embedding_models
          WHERE name = $1 ORDER BY seen_at DESC, id`,
        [name],
      );
      return rows.map((row) => ({ ...row, canary: vectorOfBytes(row.canary) }));
    },
    add: ({ id, name, dimensions, server, canary, limits }) =>
      db.has(
        `INSERT INTO embedding_models (id, name, dimensions, server, canary, limits)
          VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING RETURNING id`,
        [id, name, dimensions, server, bytesOfVector(canary), JSON.stringify(limits)],
      ),
    async update(id, { server, limits }) {
      await db.query(
        `UPDATE embedding_models SET server = coalesce($2, server), limits = coalesce($3, limits),
            seen_at = clock_timestamp() WHERE id = $1`,
        [id, server ?? null, limits === undefined ? null : JSON.stringify(limits)],
      );
    },
  };
}
