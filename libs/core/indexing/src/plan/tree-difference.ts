import {
  throwIfAborted,
  type Manifest,
  type ManifestEntry,
  type PathSample,
  type Repository,
  type Source,
  type TreeEntry,
} from '@core/domain';
import { PathCounter, sampleOf } from '../run/path-sample.js';
import { isSameFolder, TreeIds } from './tree-id.js';

/** How the manifest differs from the tree at the commit that it was brought to. */
export interface TreeDifference {
  filesChecked: number;
  missing: PathSample;
  /** Another blob or mode. */
  stale: PathSample;
  extra: PathSample;
  failed: PathSample;
}

interface Ports {
  source: Source;
  manifest: Manifest;
}

/**
 * The manifest gives the very ids that the commit's root folder shows, or the tree is listed to find where not. Without
 * a commit only what failed is told.
 */
export async function compareWithTree(
  repository: Repository,
  ports: Ports,
  signal: AbortSignal,
): Promise<TreeDifference> {
  const ids = new TreeIds();
  const failed = new PathCounter();
  let filesChecked = 0;
  for await (const rows of ports.manifest.listEntries(repository.id)) {
    throwIfAborted(signal);
    filesChecked += rows.length;
    for (const row of rows) {
      ids.add(row);
      if (row.lastError !== null) failed.add(row.path);
    }
  }
  const none = sampleOf([]);
  const equal = { filesChecked, missing: none, stale: none, extra: none, failed: failed.sample() };
  const { projectId, lastSyncedCommit: commit } = repository;
  if (commit === null) return equal;
  const root = await ports.source.listFolder(projectId, commit, '', signal);
  if (isSameFolder(ids.rootEntries(), root)) return equal;
  return { ...equal, ...(await listDifferences(repository.id, projectId, commit, ports, signal)) };
}

async function listDifferences(
  repositoryId: string,
  projectId: number,
  commit: string,
  { source, manifest }: Ports,
  signal: AbortSignal,
): Promise<Pick<TreeDifference, 'missing' | 'stale' | 'extra'>> {
  const tree = new Map<string, TreeEntry>();
  for await (const page of source.listTree(projectId, commit, signal)) {
    for (const entry of page) tree.set(entry.path, entry);
  }
  const stale = new PathCounter();
  const extra = new PathCounter();
  for await (const rows of manifest.listEntries(repositoryId)) {
    for (const row of rows) {
      const entry = tree.get(row.path);
      tree.delete(row.path);
      if (entry === undefined) extra.add(row.path);
      else if (isOtherVersion(row, entry)) stale.add(row.path);
    }
  }
  return { missing: sampleOf(tree.keys()), stale: stale.sample(), extra: extra.sample() };
}

/** A failed row speaks of a former version, and is told as failed. */
function isOtherVersion(row: ManifestEntry, entry: TreeEntry): boolean {
  return row.lastError === null && (row.blobSha !== entry.blobSha || row.mode !== entry.mode);
}
