import { contentHashOf } from '@core/chunking';
import {
  type ManifestEntry,
  type Manifest,
  type PathSample,
  type Repository,
  type StoredPoint,
  type VectorStore,
} from '@core/domain';
import { fileVersionOf, pointId } from '../run/identity.js';
import { PathCounter } from '../run/path-sample.js';

interface ExpectedFile {
  version: string;
  chunkCount: number;
  seen: number;
}

/** How the store differs from what the manifest says it holds. */
export interface StoredDifference {
  points: number;
  /** Ids of points of a path or version that no manifest row speaks of. */
  stale: string[];
  /** Ids of further points for a chunk that has its own. */
  doubled: string[];
  /** Ids of points whose text is not the one that they were stored with; known only where texts were read. */
  changed: string[];
  /** Rows of which some points are missing. */
  incomplete: ManifestEntry[];
  missing: number;
  /** Of all the points above. */
  paths: PathSample;
}

/**
 * Compares every point of a repository with its manifest. Holds one small record per file, and the ids of what is
 * wrong. A point counts by its id, which is made of all that makes it the right one.
 */
export async function compareStored(
  { repository, collection }: { repository: Repository; collection: string },
  ports: { manifest: Manifest; vectorStore: VectorStore },
  signal: AbortSignal,
  options = { withText: false },
): Promise<StoredDifference> {
  const { id } = repository;
  const expected = await expectedFiles(ports.manifest, id);
  const found = { points: 0, stale: [] as string[], doubled: [] as string[], changed: [] as string[] };
  const paths = new PathCounter();
  for await (const page of ports.vectorStore.listPoints(collection, id, signal, options)) {
    found.points += page.length;
    for (const point of page) {
      const file = expected.get(point.path);
      const fault = faultOf(id, file, point);
      if (file && (fault === null || fault === 'changed')) file.seen++;
      if (fault === null) continue;
      found[fault].push(point.id);
      paths.add(point.path);
    }
  }
  const incomplete = await incompleteRows(ports.manifest, id, expected);
  for (const { path } of incomplete) paths.add(path);
  return { ...found, incomplete, missing: missingPoints(expected), paths: paths.sample() };
}

function faultOf(
  repositoryId: string,
  file: ExpectedFile | undefined,
  point: StoredPoint,
): 'stale' | 'doubled' | 'changed' | null {
  const { path, file_version: version, chunk_index: index, text } = point;
  if (file?.version !== version || index >= file.chunkCount) return 'stale';
  if (point.id !== pointId(repositoryId, path, version, index)) return 'doubled';
  return text !== undefined && contentHashOf(text) !== point.content_hash ? 'changed' : null;
}

function missingPoints(expected: ReadonlyMap<string, ExpectedFile>): number {
  return [...expected.values()].reduce(
    (sum, { chunkCount, seen }) => sum + Math.max(0, chunkCount - seen),
    0,
  );
}

async function expectedFiles(manifest: Manifest, repositoryId: string): Promise<Map<string, ExpectedFile>> {
  const expected = new Map<string, ExpectedFile>();
  for await (const rows of manifest.listEntries(repositoryId)) {
    for (const { path, indexedAt, blobSha, fingerprint, chunkCount } of rows) {
      if (indexedAt !== null)
        expected.set(path, { version: fileVersionOf(blobSha, fingerprint), chunkCount, seen: 0 });
    }
  }
  return expected;
}

async function incompleteRows(
  manifest: Manifest,
  repositoryId: string,
  expected: ReadonlyMap<string, ExpectedFile>,
): Promise<ManifestEntry[]> {
  const incomplete: ManifestEntry[] = [];
  for await (const rows of manifest.listEntries(repositoryId)) {
    incomplete.push(...rows.filter((row) => isShort(expected.get(row.path))));
  }
  return incomplete;
}

function isShort(file: ExpectedFile | undefined): boolean {
  return file !== undefined && file.seen < file.chunkCount;
}
