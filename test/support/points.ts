import { createHash } from 'node:crypto';
import { type LaneQuery, type Point, type PointPayload, type SearchFilter } from '@core/domain';
import { termsOf } from '@core/search';

export const DIMENSIONS = 8;

/** A point whose id depends on repository, path, version and chunk, with its own vector. */
export function makePoint(overrides: Partial<PointPayload> = {}, vector?: readonly number[]): Point {
  const path = overrides.path ?? 'src/app/main.ts';
  const folders = path.split('/').slice(0, -1);
  const payload: PointPayload = {
    repository_id: 'aaaaaaaa-0000-4000-8000-000000000001',
    project_path: 'platform/shop',
    branch: 'main',
    path,
    directories: folders.map((_, depth) => folders.slice(0, depth + 1).join('/')),
    language: 'typescript',
    chunk_index: 0,
    start_line: 1,
    end_line: 20,
    blob_sha: '1'.repeat(40),
    file_version: 'v1',
    content_hash: 'c'.repeat(64),
    commit: '2'.repeat(40),
    fence: 1,
    text: `text of ${path}`,
    ...overrides,
  };
  const id = uuidOf(payload.repository_id, payload.path, payload.file_version, payload.chunk_index);
  return {
    id,
    vector: Float32Array.from(vector ?? pseudoRandomVector(id)),
    terms: termsOf(payload),
    payload,
  };
}

/** The chunks 0..count-1 of one file. */
export function makeFile(overrides: Partial<PointPayload>, count: number): Point[] {
  return Array.from({ length: count }, (_, index) => makePoint({ ...overrides, chunk_index: index }));
}

/** A search of the dense lane alone. */
export function dense(vector: Float32Array, limit: number, filter: SearchFilter = {}): LaneQuery {
  return { lane: 'dense', vector, limit, filter };
}

function uuidOf(...parts: readonly unknown[]): string {
  const hex = createHash('sha256').update(parts.join('\0')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function pseudoRandomVector(seed: string): number[] {
  const bytes = createHash('sha256').update(seed).digest();
  return Array.from({ length: DIMENSIONS }, (_, i) => bytes.readInt16LE(2 * i) / 32_768 || 0.5);
}
