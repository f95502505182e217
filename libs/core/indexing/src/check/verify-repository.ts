import {
  throwIfAborted,
  type IndexCheck,
  type IndexDifferences,
  type Manifest,
  type Repository,
  type Source,
  type VectorStore,
} from '@core/domain';
import { compareStored, type StoredDifference } from '../store/stored-points.js';
import { compareWithTree, type TreeDifference } from '../plan/tree-difference.js';

export interface VerifyRequest {
  repository: Repository;
  /** The vector store's own name of the generation that `manifest` belongs to. */
  collection: string;
  signal: AbortSignal;
}

export interface VerifyPorts {
  source: Source;
  manifest: Manifest;
  vectorStore: VectorStore;
}

/** What was found, and the ids of points that should not be there. */
export interface Verification {
  state: IndexCheck;
  wrongPoints: string[];
}

/**
 * Proves that the index equals the tree: the manifest against the tree at the commit that it was brought to (one request
 * when they are equal), then every point with its text against the manifest. Changes nothing.
 */
export async function verifyRepository(
  { repository, collection, signal }: VerifyRequest,
  ports: VerifyPorts,
): Promise<Verification> {
  const tree = await compareWithTree(repository, ports, signal);
  throwIfAborted(signal);
  const stored = await compareStored({ repository, collection }, ports, signal, { withText: true });
  const differences = differencesOf(tree, stored);
  return {
    state: {
      commit: repository.lastSyncedCommit,
      files_checked: tree.filesChecked,
      points_checked: stored.points,
      is_equal: repository.lastSyncedCommit !== null && isNone(differences),
      ...differences,
    },
    wrongPoints: [...stored.stale, ...stored.doubled, ...stored.changed],
  };
}

function differencesOf(tree: TreeDifference, stored: StoredDifference): IndexDifferences {
  return {
    files_missing: tree.missing,
    files_stale: tree.stale,
    files_extra: tree.extra,
    files_failed: tree.failed,
    points_missing: stored.missing,
    points_stale: stored.stale.length,
    points_doubled: stored.doubled.length,
    points_changed: stored.changed.length,
    points_in: stored.paths,
  };
}

function isNone(found: IndexDifferences): boolean {
  const { files_missing, files_stale, files_extra, files_failed } = found;
  const files = [files_missing, files_stale, files_extra, files_failed].map((sample) => sample.files);
  const points = [found.points_missing, found.points_stale, found.points_doubled, found.points_changed];
  return [...files, ...points].every((count) => count === 0);
}

/** For people, e.g. `2 missing point(s), 1 stale file(s)`. */
export function describeDifferences(found: IndexDifferences): string {
  const counts: [number, string][] = [
    [found.files_missing.files, 'file(s) missing'],
    [found.files_stale.files, 'file(s) of another version'],
    [found.files_extra.files, 'file(s) that are gone'],
    [found.files_failed.files, 'failed file(s)'],
    [found.points_missing, 'missing point(s)'],
    [found.points_stale, 'stale point(s)'],
    [found.points_doubled, 'doubled point(s)'],
    [found.points_changed, 'changed point(s)'],
  ];
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return told.length === 0 ? 'no difference' : told.join(', ');
}
