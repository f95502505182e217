import { type FileRef, type Point, type PointPayload, type StoredPoint } from '@core/domain';
import { type Ask } from './ask.js';
import { termsOfBytes, vectorOfBytes } from './vector-bytes.js';

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

const LISTED_PER_PAGE = 1_000;
/** Smaller pages, because a text may have 7,000 characters and more. */
export const LISTED_WITH_TEXT = 100;
/** The indexed expression: a B-tree entry cannot hold the longest paths. */
const START_OF_PATH = 'left(path, 500)';

/** Pages of a repository's points in the order of their paths. */
export async function* listPoints(
  ask: Ask,
  collection: string,
  repositoryId: string,
  signal: AbortSignal,
  withText: boolean,
): AsyncGenerator<StoredPoint[]> {
  // Not `payload->>'text'`: the server refuses half a surrogate pair, and a chunk may begin or end with one.
  const fields = `id, path, blob_sha, file_version, chunk_index, fence${withText ? ', payload' : ''}`;
  const limit = withText ? LISTED_WITH_TEXT : LISTED_PER_PAGE;
  let last: Pick<StoredPoint, 'path' | 'id'> | undefined;
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
}

/** The points of one version of a file, in the order of its chunks. */
export async function readFile(
  ask: Ask,
  collection: string,
  file: FileRef,
  fileVersion: string,
  signal: AbortSignal,
): Promise<Point[]> {
  const rows = await ask<{ id: string; vector: Buffer; terms: Buffer | null; payload: PointPayload }>(
    `SELECT id, vector, terms, payload FROM vector_points
       WHERE collection = $1 AND repository_id = $2 AND ${START_OF_PATH} = left($3, 500) AND path = $3
         AND file_version = $4 ORDER BY chunk_index`,
    [collection, file.repositoryId, file.path, fileVersion],
    signal,
  );
  return rows.map(({ id, vector, terms, payload }) => ({
    id,
    vector: vectorOfBytes(vector),
    terms: terms && termsOfBytes(terms),
    payload,
  }));
}
