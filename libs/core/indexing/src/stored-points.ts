import {
  type ManifestEntry,
  type Manifest,
  type Repository,
  type StoredPoint,
  type VectorStore,
} from '@core/domain';
import { fileVersionOf } from './identity.js';

interface ExpectedFile {
  version: string;
  chunkCount: number;
  seen: number;
}

/** How the store differs from what the manifest says it holds. */
export interface StoredDifference {
  /** Ids of points that no manifest row speaks of. */
  extra: string[];
  /** Rows of which some points are missing. */
  incomplete: ManifestEntry[];
}

/**
 * Compares every point of a repository with its manifest. Holds one small record per file, and the ids of what is
 * extra.
 */
export async function compareStored(
  { repository, collection }: { repository: Repository; collection: string },
  ports: { manifest: Manifest; vectorStore: VectorStore },
  signal: AbortSignal,
): Promise<StoredDifference> {
  const expected = await expectedFiles(ports.manifest, repository.id);
  const extra: string[] = [];
  for await (const page of ports.vectorStore.listPoints(collection, repository.id, signal)) {
    for (const point of page) {
      const file = expected.get(point.path);
      if (file && isOf(file, point)) file.seen++;
      else extra.push(point.id);
    }
  }
  return { extra, incomplete: await incompleteRows(ports.manifest, repository.id, expected) };
}

function isOf(file: ExpectedFile, point: StoredPoint): boolean {
  return file.version === point.file_version && point.chunk_index < file.chunkCount;
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
