import { type PointPayload, type PointTally, type StoredPoint, type VectorStore } from '@core/domain';
import { bytesOfTerms, termsOfBytes, vectorOfBytes } from './vector-bytes.js';

/** Runs one statement, unless the signal is aborted before or after it. */
export type Ask = <Row extends object>(
  sql: string,
  parameters: readonly unknown[],
  signal: AbortSignal,
) => Promise<Row[]>;

const LISTED_PER_PAGE = 1_000;
/** Smaller pages, because a text may have 7,000 characters and more. */
const LISTED_WITH_TEXT = 100;
/** The indexed expression: a B-tree entry cannot hold the longest paths. */
const START_OF_PATH = 'left(path, 500)';

/** What is read of the points in the table, without a search. */
export function storedPoints(
  ask: Ask,
): Pick<
  VectorStore,
  'listPoints' | 'readFile' | 'count' | 'tally' | 'otherRepositories' | 'countWithoutTerms' | 'fillTerms'
> {
  const count = async (
    condition: string,
    ...[collection, repositoryId, signal]: Parameters<VectorStore['count']>
  ) => {
    const [row] = await ask<{ points: number }>(
      `SELECT count(*) AS points FROM vector_points
        WHERE collection = $1 AND ${condition} AND ($2::text IS NULL OR repository_id = $2)`,
      [collection, repositoryId],
      signal,
    );
    return row!.points;
  };
  return {
    count: (...which) => count('true', ...which),
    countWithoutTerms: (...which) => count('terms IS NULL', ...which),

    async tally(collection, repositoryId, signal) {
      const [row] = await ask<PointTally>(TALLY, [collection, repositoryId], signal);
      return row!;
    },

    async otherRepositories(collection, known, signal) {
      const rows = await ask<{ id: string }>(
        `SELECT DISTINCT repository_id AS id FROM vector_points
          WHERE collection = $1 AND repository_id <> ALL ($2) ORDER BY id`,
        [collection, known],
        signal,
      );
      return rows.map(({ id }) => id);
    },

    /** In the order of their paths. */
    async *listPoints(collection, repositoryId, signal, { withText } = { withText: false }) {
      // Not `payload->>'text'`: the server refuses half a surrogate pair, and a chunk may begin or end with one.
      const fields = `id, path, blob_sha, file_version, chunk_index, fence${withText ? ', payload' : ''}`;
      const limit = withText ? LISTED_WITH_TEXT : LISTED_PER_PAGE;
      let last: Pick<ListedRow, 'path' | 'id'> | undefined;
      do {
        const after = last === undefined ? '' : `AND (${START_OF_PATH}, id) > (left($3, 500), $4::uuid)`;
        const position = last === undefined ? [] : [last.path, last.id];
        const page: ListedRow[] = await ask<ListedRow>(
          `SELECT ${fields} FROM vector_points
            WHERE collection = $1 AND repository_id = $2 ${after} ORDER BY ${START_OF_PATH}, id LIMIT ${limit}`,
          [collection, repositoryId, ...position],
          signal,
        );
        last = page.at(-1);
        if (page.length > 0) yield page.map(storedPointOf);
      } while (last !== undefined);
    },

    async readFile(collection, file, fileVersion, signal) {
      const rows = await ask<{ id: string; vector: Buffer; terms: Buffer | null; payload: PointPayload }>(
        `SELECT id, vector, terms, payload FROM vector_points
          WHERE collection = $1 AND repository_id = $2 AND ${START_OF_PATH} = left($3, 500) AND path = $3
            AND file_version = $4 ORDER BY chunk_index`,
        [collection, file.repositoryId, file.path, fileVersion],
        signal,
      );
      return rows.map(({ id, vector, terms, payload }) => ({
        ...{ id, vector: vectorOfBytes(vector), payload },
        terms: terms && termsOfBytes(terms),
      }));
    },

    async fillTerms(collection, repositoryId, termsOf, signal) {
      for (let filled = 0; ;) {
        const page = await ask<{ id: string; payload: PointPayload }>(
          `SELECT id, payload FROM vector_points WHERE collection = $1 AND repository_id = $2 AND terms IS NULL
            ORDER BY id LIMIT ${LISTED_WITH_TEXT}`,
          [collection, repositoryId],
          signal,
        );
        if (page.length === 0) return filled;
        const terms = page.map(({ payload }) => bytesOfTerms(termsOf(payload)));
        await ask(FILL_TERMS, [collection, page.map(({ id }) => id), terms], signal);
        filled += page.length;
      }
    },
  };
}

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

const TALLY = `
  WITH counted AS (
    SELECT fence, count(*) AS points FROM vector_points
    WHERE collection = $1 AND repository_id = $2 GROUP BY fence)
  SELECT COALESCE(sum(points), 0)::bigint AS points, max(fence) AS newest_fence,
    COALESCE((array_agg(points ORDER BY fence DESC))[1], 0) AS at_newest_fence
  FROM counted`;

const FILL_TERMS = `
  UPDATE vector_points AS point SET terms = filled.terms, written_by = pg_current_xact_id()
  FROM unnest($2::uuid[], $3::bytea[]) AS filled (id, terms)
  WHERE point.collection = $1 AND point.id = filled.id`;
