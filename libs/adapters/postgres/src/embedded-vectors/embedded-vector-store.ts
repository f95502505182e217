import {
  throwIfAborted,
  type CollectionSpec,
  type FileRef,
  type LaneQuery,
  type Logger,
  type Point,
  type PointPayload,
  type PointTally,
  type ScannedPage,
  type ScanQuery,
  type SearchHit,
  type StoredPoint,
  type Terms,
  type VectorStore,
} from '@core/domain';
import { type Database } from '../sql/database.js';
import { type Ask } from './ask.js';
import { assertFits, ensureCollection, incarnationOf } from './collections.js';
import { countWithoutTerms, fillTerms } from './fill-terms.js';
import { listPoints, readFile } from './list-points.js';
import { CollectionSearch } from './search.js';
import { insertPoints, statementsOf } from './upsert.js';

interface EmbeddedVectorStoreOptions {
  logger: Logger;
}

/** With more points an exact search takes seconds; Qdrant is made for that. */
const ADVISED_POINTS = 100_000;
const FILES_PER_STATEMENT = 1_000;
/** Keeps each statement well below its time limit. */
const POINTS_PER_DROP = 5_000;

/**
 * Points in the two tables `vector_collections` and `vector_points`: for installations without Qdrant, up to about
 * 100,000 chunks. Search is exact: it keeps vectors and terms of the searched collections in memory. A point written under a higher fence is not replaced.
 */
export function createEmbeddedVectorStore(
  database: Database,
  options: EmbeddedVectorStoreOptions,
): VectorStore {
  return new EmbeddedVectorStore(database, options.logger);
}

class EmbeddedVectorStore implements VectorStore {
  private hasWarned = false;
  /** One for each collection that was searched. */
  private readonly memories = new Map<string, CollectionSearch>();

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
  ) {}

  async ensureCollection(spec: CollectionSpec, signal: AbortSignal): Promise<string> {
    throwIfAborted(signal);
    const incarnation = await ensureCollection(this.db, spec);
    throwIfAborted(signal);
    return incarnation;
  }

  async incarnationOf(collection: string, signal: AbortSignal): Promise<string | null> {
    throwIfAborted(signal);
    return incarnationOf(this.db, collection);
  }

  /** Does nothing: these tables have no aliases. Other tables of Postgres name the active collection. */
  async pointAlias(_alias: string, _collection: string, signal: AbortSignal): Promise<void> {
    throwIfAborted(signal);
  }

  /** Nobody else makes collections here. */
  async isMadeBeforehand(_spec: CollectionSpec, signal: AbortSignal): Promise<boolean> {
    throwIfAborted(signal);
    return false;
  }

  /** The collections are in the same database, so a backup holds both. */
  async leftovers(_known: readonly string[], signal: AbortSignal): Promise<string[]> {
    throwIfAborted(signal);
    return [];
  }

  async dropCollection(collection: string, signal: AbortSignal): Promise<void> {
    let removed: unknown[];
    do {
      removed = await this.ask(
        `DELETE FROM vector_points WHERE collection = $1 AND id IN (
          SELECT id FROM vector_points WHERE collection = $1 LIMIT ${POINTS_PER_DROP}) RETURNING 1`,
        [collection],
        signal,
      );
    } while (removed.length > 0);
    await this.ask('DELETE FROM vector_collections WHERE name = $1', [collection], signal);
  }

  async upsert(collection: string, points: readonly Point[], signal: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (points.length === 0) return;
    const vectors = points.map((point) => point.vector);
    await assertFits(this.db, collection, vectors);
    for (const statement of statementsOf(points)) {
      throwIfAborted(signal);
      await insertPoints(this.db, collection, statement);
    }
    throwIfAborted(signal);
  }

  async deleteFiles(
    collection: string,
    repositoryId: string,
    files: readonly { path: string; keepVersion?: string }[],
    signal: AbortSignal,
  ): Promise<number> {
    let removed = 0;
    for (let start = 0; start < files.length; start += FILES_PER_STATEMENT) {
      const group = files.slice(start, start + FILES_PER_STATEMENT);
      const paths = group.map((file) => file.path);
      const versions = group.map((file) => file.keepVersion ?? null);
      const gone = await this.ask<{ id: string }>(
        DELETE_FILES,
        [collection, repositoryId, paths, versions],
        signal,
      );
      removed += gone.length;
      this.memories.get(collection)?.remove(gone.map(({ id }) => id));
    }
    throwIfAborted(signal);
    return removed;
  }

  async deletePoints(collection: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    await this.ask(
      `DELETE FROM vector_points AS point USING unnest($2::uuid[]) AS wanted (id)
        WHERE point.collection = $1 AND point.id = wanted.id`,
      [collection, ids],
      signal,
    );
    this.memories.get(collection)?.remove(ids);
  }

  async deleteRepository(collection: string, repositoryId: string, signal: AbortSignal): Promise<void> {
    const parameters = [collection, repositoryId];
    await this.ask(
      'DELETE FROM vector_points WHERE collection = $1 AND repository_id = $2',
      parameters,
      signal,
    );
    // Reads the collection again at the next search: few repositories are deleted.
    this.memories.delete(collection);
  }

  listPoints(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
    { withText } = { withText: false },
  ): AsyncGenerator<StoredPoint[]> {
    return listPoints(this.ask, collection, repositoryId, signal, withText);
  }

  readFile(collection: string, file: FileRef, fileVersion: string, signal: AbortSignal): Promise<Point[]> {
    return readFile(this.ask, collection, file, fileVersion, signal);
  }

  async count(collection: string, repositoryId: string | null, signal: AbortSignal): Promise<number> {
    const [row] = await this.ask<{ points: number }>(
      `SELECT count(*) AS points FROM vector_points
       WHERE collection = $1 AND ($2::text IS NULL OR repository_id = $2)`,
      [collection, repositoryId],
      signal,
    );
    return row?.points ?? 0;
  }

  async tally(collection: string, repositoryId: string, signal: AbortSignal): Promise<PointTally> {
    const [row] = await this.ask<PointTally>(TALLY, [collection, repositoryId], signal);
    return row!;
  }

  async otherRepositories(
    collection: string,
    known: readonly string[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const rows = await this.ask<{ id: string }>(
      `SELECT DISTINCT repository_id AS id FROM vector_points
        WHERE collection = $1 AND repository_id <> ALL ($2) ORDER BY id`,
      [collection, known],
      signal,
    );
    return rows.map(({ id }) => id);
  }

  async search(collection: string, query: LaneQuery, signal: AbortSignal): Promise<SearchHit[]> {
    const found = await this.memoryOf(collection).search(query, signal);
    if (found === null) this.memories.delete(collection);
    if (found !== null && found.compared > ADVISED_POINTS) this.warnOfSize(collection, found.compared);
    return found?.hits ?? [];
  }

  /** Every collection that exists can. */
  async hasTerms(collection: string, signal: AbortSignal): Promise<boolean> {
    return (await this.incarnationOf(collection, signal)) !== null;
  }

  scan(collection: string, query: ScanQuery, signal: AbortSignal): AsyncGenerator<ScannedPage> {
    return this.memoryOf(collection).scan(query, signal);
  }

  countWithoutTerms(collection: string, repositoryId: string | null, signal: AbortSignal): Promise<number> {
    return countWithoutTerms(this.ask, collection, repositoryId, signal);
  }

  fillTerms(
    collection: string,
    repositoryId: string,
    termsOf: (point: PointPayload) => Terms,
    signal: AbortSignal,
  ): Promise<number> {
    return fillTerms(this.ask, collection, repositoryId, termsOf, signal);
  }

  async checkHealth(signal: AbortSignal): Promise<string[]> {
    await this.ask('SELECT FROM vector_collections LIMIT 1', [], signal);
    return [];
  }

  private memoryOf(collection: string): CollectionSearch {
    let memory = this.memories.get(collection);
    if (memory === undefined) {
      memory = new CollectionSearch(this.db, collection);
      this.memories.set(collection, memory);
    }
    return memory;
  }

  private readonly ask: Ask = async <Row extends object>(
    sql: string,
    parameters: readonly unknown[],
    signal: AbortSignal,
  ) => {
    throwIfAborted(signal);
    const rows = await this.db.query<Row>(sql, parameters);
    throwIfAborted(signal);
    return rows;
  };

  /** Once per process: the advice does not change. */
  private warnOfSize(collection: string, points: number): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      { collection, points, advisedPoints: ADVISED_POINTS },
      'Embedded vector store is beyond the size that it is made for: set QDRANT_URL',
    );
  }
}

const TALLY = `
  WITH counted AS (
    SELECT fence, count(*) AS points FROM vector_points
    WHERE collection = $1 AND repository_id = $2 GROUP BY fence)
  SELECT COALESCE(sum(points), 0)::bigint AS points, max(fence) AS newest_fence,
    COALESCE((array_agg(points ORDER BY fence DESC))[1], 0) AS at_newest_fence
  FROM counted`;

const DELETE_FILES = `
  DELETE FROM vector_points AS point USING unnest($3::text[], $4::text[]) AS file (path, keep_version)
  WHERE point.collection = $1 AND point.repository_id = $2
    AND left(point.path, 500) = left(file.path, 500) AND point.path = file.path
    AND (file.keep_version IS NULL OR point.file_version <> file.keep_version)
  RETURNING point.id`;
