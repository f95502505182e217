import { contentHashOf } from '@core/chunking';
import { type Manifest, type ManifestEntry, type StoredPoint } from '@core/domain';
import { fileVersionOf, pointId } from '../run/identity.js';
import { type IndexingPorts, type SyncRequest } from '../run/sync-run.js';

interface ExpectedFile {
  version: string;
  chunkCount: number;
  seen: number;
}

/** How the points of the store differ from the manifest. */
export interface StoredDifference {
  points: number;
  /** Ids of points whose path or version is not in the manifest. */
  stale: string[];
  /** Ids of extra points for a chunk that has its own. */
  doubled: string[];
  /** Ids of points whose text was changed; only found when texts are read. */
  changed: string[];
  /** Rows with missing points. */
  incomplete: ManifestEntry[];
  missing: number;
  /** Paths of all these points. */
  paths: ReadonlySet<string>;
}

/**
 * Compares every point of a repository with its manifest. Keeps one small record per file and the ids of wrong points.
 * A correct point has the id that its repository, path, version and index give.
 */
export async function compareStored(
  { repository, collection, signal }: Pick<SyncRequest, 'repository' | 'collection' | 'signal'>,
  ports: Pick<IndexingPorts, 'manifest' | 'vectorStore'>,
  options = { withText: false },
): Promise<StoredDifference> {
  const { id } = repository;
  const expected = await expectedFiles(ports.manifest, id);
  const found = { points: 0, stale: [] as string[], doubled: [] as string[], changed: [] as string[] };
  const paths = new Set<string>();
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
  const incomplete: ManifestEntry[] = [];
  for await (const rows of ports.manifest.listEntries(id)) {
    incomplete.push(...rows.filter(({ path }) => missingOf(expected.get(path)) > 0));
  }
  for (const { path } of incomplete) paths.add(path);
  const missing = [...expected.values()].reduce((sum, file) => sum + missingOf(file), 0);
  return { ...found, incomplete, missing, paths };
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

function missingOf(file: ExpectedFile | undefined): number {
  return file === undefined ? 0 : Math.max(0, file.chunkCount - file.seen);
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
