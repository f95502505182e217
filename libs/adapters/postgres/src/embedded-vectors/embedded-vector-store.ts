import { groupsOf, type Logger, throwIfAborted, type VectorStore } from '@core/domain';
import { type Database } from '../sql/database.js';
import { assertFits, collectionOf, ensureCollection } from './collections.js';
import { CollectionSearch } from './search.js';
import { type Ask, storedPoints } from './stored-points.js';
import { insertPoints, statementsOf } from './upsert.js';

/** With more points an exact search takes seconds; Qdrant is made for that. */
const ADVISED_POINTS = 100_000;
const FILES_PER_STATEMENT = 1_000;
/** Keeps each statement well below its time limit. */
const POINTS_PER_DROP = 5_000;

/**
 * Points in the two tables `vector_collections` and `vector_points`: for installations without Qdrant, up to about
 * 100,000 chunks. Search is exact: it keeps vectors and terms of the searched collections in memory. A point written under a higher fence is not replaced.
 */
export function createEmbeddedVectorStore(db: Database, { logger }: { logger: Logger }): VectorStore {
  const ask: Ask = async <Row extends object>(
    sql: string,
    parameters: readonly unknown[],
    signal: AbortSignal,
  ) => {
    throwIfAborted(signal);
    const rows = await db.query<Row>(sql, parameters);
    throwIfAborted(signal);
    return rows;
  };
  const incarnationOf: VectorStore['incarnationOf'] = async (collection, signal) => {
    throwIfAborted(signal);
    return (await collectionOf(db, collection))?.incarnation ?? null;
  };
  /** One for each collection that was searched. */
  const memories = new Map<string, CollectionSearch>();
  const memoryOf = (collection: string): CollectionSearch => {
    const memory = memories.get(collection) ?? new CollectionSearch(db, collection);
    memories.set(collection, memory);
    return memory;
  };
  let hasWarned = false;
  /** Once per process: the advice does not change. */
  const warnOfSize = (collection: string, points: number): void => {
    if (hasWarned || points <= ADVISED_POINTS) return;
    hasWarned = true;
    logger.warn(
      { collection, points, advisedPoints: ADVISED_POINTS },
      'Embedded vector store is beyond the size that it is made for: set QDRANT_URL',
    );
  };

  return {
    ...storedPoints(ask),
    incarnationOf,

    async ensureCollection(spec, signal) {
      throwIfAborted(signal);
      const incarnation = await ensureCollection(db, spec);
      throwIfAborted(signal);
      return incarnation;
    },

    /** Does nothing: these tables have no aliases. Other tables of Postgres name the active collection. */
    pointAlias: async (_alias, _collection, signal) => throwIfAborted(signal),

    /** Nobody else makes collections here. */
    async isMadeBeforehand(_spec, signal) {
      throwIfAborted(signal);
      return false;
    },

    /** The collections are in the same database, so a backup holds both. */
    async leftovers(_known, signal) {
      throwIfAborted(signal);
      return [];
    },

    async dropCollection(collection, signal) {
      let removed: unknown[];
      do {
        removed = await ask(
          `DELETE FROM vector_points WHERE collection = $1 AND id IN (
            SELECT id FROM vector_points WHERE collection = $1 LIMIT ${POINTS_PER_DROP}) RETURNING 1`,
          [collection],
          signal,
        );
      } while (removed.length > 0);
      await ask('DELETE FROM vector_collections WHERE name = $1', [collection], signal);
    },

    async upsert(collection, points, signal) {
      throwIfAborted(signal);
      if (points.length === 0) return;
      const vectors = points.map((point) => point.vector);
      await assertFits(db, collection, vectors);
      for (const statement of statementsOf(points)) {
        throwIfAborted(signal);
        await insertPoints(db, collection, statement);
      }
      throwIfAborted(signal);
    },

    async deleteFiles(collection, repositoryId, files, signal) {
      let removed = 0;
      for (const group of groupsOf(files, FILES_PER_STATEMENT)) {
        const paths = group.map((file) => file.path);
        const versions = group.map((file) => file.keepVersion ?? null);
        const parameters = [collection, repositoryId, paths, versions];
        const deleted = await ask<{ id: string }>(DELETE_FILES, parameters, signal);
        removed += deleted.length;
        memories.get(collection)?.remove(deleted.map(({ id }) => id));
      }
      throwIfAborted(signal);
      return removed;
    },

    async deletePoints(collection, ids, signal) {
      await ask(
        `DELETE FROM vector_points AS point USING unnest($2::uuid[]) AS wanted (id)
          WHERE point.collection = $1 AND point.id = wanted.id`,
        [collection, ids],
        signal,
      );
      memories.get(collection)?.remove(ids);
    },

    async deleteRepository(collection, repositoryId, signal) {
      const deletion = 'DELETE FROM vector_points WHERE collection = $1 AND repository_id = $2';
      await ask(deletion, [collection, repositoryId], signal);
      // Reads the collection again at the next search: few repositories are deleted.
      memories.delete(collection);
    },

    async search(collection, query, signal) {
      const found = await memoryOf(collection).search(query, signal);
      if (found === null) memories.delete(collection);
      else warnOfSize(collection, found.compared);
      return found?.hits ?? [];
    },

    /** Every collection that exists can. */
    hasTerms: async (collection, signal) => (await incarnationOf(collection, signal)) !== null,

    scan: (collection, query, signal) => memoryOf(collection).scan(query, signal),

    async checkHealth(signal) {
      await ask('SELECT FROM vector_collections LIMIT 1', [], signal);
      return [];
    },
  };
}

const DELETE_FILES = `
  DELETE FROM vector_points AS point USING unnest($3::text[], $4::text[]) AS file (path, keep_version)
  WHERE point.collection = $1 AND point.repository_id = $2
    AND left(point.path, 500) = left(file.path, 500) AND point.path = file.path
    AND (file.keep_version IS NULL OR point.file_version <> file.keep_version)
  RETURNING point.id`;
