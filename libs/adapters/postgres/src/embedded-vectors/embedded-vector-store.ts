import {
  RepotideError,
  throwIfAborted,
  type CollectionSpec,
  type FileRef,
  type Logger,
  type Point,
  type PointPayload,
  type PointTally,
  type SearchFilter,
  type SearchHit,
  type StoredPoint,
  type VectorStore,
} from '@core/domain';
import { type Database } from '../sql/database.js';
import { vectorOfBytes } from './vector-bytes.js';
import { assertFits, ensureCollection, incarnationOf } from './collections.js';
import { searchPoints } from './search.js';
import { insertPoints, statementsOf } from './upsert.js';

interface ListedRow {
  id: string;
  path: string;
  blobSha: string;
  fileVersion: string;
  chunkIndex: number;
  fence: number;
  payload?: PointPayload;
}

function storedPointOf(row: ListedRow): StoredPoint {
  const { id, path, blobSha: blob_sha, fileVersion: file_version, chunkIndex: chunk_index, fence } = row;
  const point = { id, path, blob_sha, file_version, chunk_index, fence };
  if (row.payload === undefined) return point;
  return { ...point, content_hash: row.payload.content_hash, text: row.payload.text };
}

interface EmbeddedVectorStoreOptions {
  logger: Logger;
}

/** With more points an exact search takes seconds; Qdrant is made for that. */
const ADVISED_POINTS = 100_000;
const LISTED_PER_PAGE = 1_000;
/** Smaller pages, because a text may have 7,000 characters and more. */
const LISTED_WITH_TEXT = 100;
/** The indexed expression: a B-tree entry cannot hold the longest paths. */
const START_OF_PATH = 'left(path, 500)';
const FILES_PER_STATEMENT = 1_000;
/** Keeps each statement well below its time limit. */
const POINTS_PER_DROP = 5_000;

/**
 * Points in the two tables `vector_collections` and `vector_points`: for installations without Qdrant, up to about
 * 100,000 chunks. Search is exact and compares every vector, page by page, so its time grows with the number of
 * points and its memory does not. A point written under a higher fence is not replaced.
 */
export function createEmbeddedVectorStore(
  database: Database,
  options: EmbeddedVectorStoreOptions,
): VectorStore {
  return new EmbeddedVectorStore(database, options.logger);
}

class EmbeddedVectorStore implements VectorStore {
  private hasWarned = false;

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
      const [row] = await this.ask<{ removed: number }>(
        DELETE_FILES,
        [collection, repositoryId, paths, versions],
        signal,
      );
      removed += row?.removed ?? 0;
    }
    throwIfAborted(signal);
    return removed;
  }

  async deletePoints(collection: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    await this.ask(
      'DELETE FROM vector_points WHERE collection = $1 AND id = ANY($2::uuid[])',
      [collection, ids],
      signal,
    );
  }

  async deleteRepository(collection: string, repositoryId: string, signal: AbortSignal): Promise<void> {
    const parameters = [collection, repositoryId];
    await this.ask(
      'DELETE FROM vector_points WHERE collection = $1 AND repository_id = $2',
      parameters,
      signal,
    );
  }

  async *listPoints(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
    { withText } = { withText: false },
  ): AsyncGenerator<StoredPoint[]> {
    // Not `payload->>'text'`: the server refuses half a surrogate pair, and a chunk may begin or end with one.
    const fields = `id, path, blob_sha, file_version, chunk_index, fence${withText ? ', payload' : ''}`;
    const limit = withText ? LISTED_WITH_TEXT : LISTED_PER_PAGE;
    let last: Pick<StoredPoint, 'path' | 'id'> | undefined;
    do {
      const after = last === undefined ? '' : `AND (${START_OF_PATH}, id) > (left($3, 500), $4::uuid)`;
      const position = last === undefined ? [] : [last.path, last.id];
      const page: ListedRow[] = await this.ask<ListedRow>(
        `SELECT ${fields} FROM vector_points
         WHERE collection = $1 AND repository_id = $2 ${after} ORDER BY ${START_OF_PATH}, id LIMIT ${limit}`,
        [collection, repositoryId, ...position],
        signal,
      );
      last = page.at(-1);
      if (page.length > 0) yield page.map(storedPointOf);
    } while (last !== undefined);
  }

  async readFile(
    collection: string,
    file: FileRef,
    fileVersion: string,
    signal: AbortSignal,
  ): Promise<Point[]> {
    const rows = await this.ask<{ id: string; vector: Buffer; payload: PointPayload }>(
      `SELECT id, vector, payload FROM vector_points
       WHERE collection = $1 AND repository_id = $2 AND ${START_OF_PATH} = left($3, 500) AND path = $3
         AND file_version = $4 ORDER BY chunk_index`,
      [collection, file.repositoryId, file.path, fileVersion],
      signal,
    );
    return rows.map(({ id, vector, payload }) => ({ id, vector: vectorOfBytes(vector), payload }));
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

  async search(
    collection: string,
    vector: Float32Array,
    limit: number,
    filter: SearchFilter,
    signal: AbortSignal,
  ): Promise<SearchHit[]> {
    throwIfAborted(signal);
    try {
      const request = { collection, vector, limit, filter };
      const { hits, compared } = await this.db.transaction((tx) => searchPoints(tx, request, signal));
      if (compared > ADVISED_POINTS) this.warnOfSize(collection, compared);
      return hits;
    } catch (error) {
      if (error instanceof RepotideError && error.code === 'collection_missing') return [];
      throw error;
    }
  }

  async checkHealth(signal: AbortSignal): Promise<string[]> {
    await this.ask('SELECT FROM vector_collections LIMIT 1', [], signal);
    return [];
  }

  private async ask<Row extends object>(
    sql: string,
    parameters: readonly unknown[],
    signal: AbortSignal,
  ): Promise<Row[]> {
    throwIfAborted(signal);
    const rows = await this.db.query<Row>(sql, parameters);
    throwIfAborted(signal);
    return rows;
  }

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
  WITH gone AS (
    DELETE FROM vector_points AS point USING unnest($3::text[], $4::text[]) AS file (path, keep_version)
    WHERE point.collection = $1 AND point.repository_id = $2
      AND left(point.path, 500) = left(file.path, 500) AND point.path = file.path
      AND (file.keep_version IS NULL OR point.file_version <> file.keep_version)
    RETURNING 1)
  SELECT count(*) AS removed FROM gone`;
