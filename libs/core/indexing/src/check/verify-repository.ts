import {
  groupBy,
  isExactText,
  samplePaths,
  throwIfAborted,
  type IndexCheck,
  type IndexDifferences,
  type IndexDrift,
  type Repository,
  type StoredEntry,
} from '@core/domain';
import { countsIn } from '../run/drift.js';
import { type IndexingPorts, type SyncRequest } from '../run/sync-run.js';
import { DistinctPaths } from '../plan/distinct-paths.js';
import { contentKey, isSameEntry, isSameFolder, TreeIds } from '../plan/git-trees.js';
import { compareStored } from '../store/compare-points.js';

type Request = Pick<SyncRequest, 'repository' | 'collection' | 'signal'>;
type Ports = Pick<IndexingPorts, 'source' | 'manifest' | 'vectorStore'>;

/** The result, and the ids of points that must be removed. */
export interface Verification {
  state: IndexCheck;
  wrongPoints: string[];
}

/**
 * Verifies that the index equals the tree: compares the manifest with the tree of the last synced commit (one request
 * when they are equal), then every point with its text against the manifest, and counts points that lost their terms.
 * Changes nothing.
 */
export async function verifyRepository(request: Request, ports: Ports): Promise<Verification> {
  const { repository, signal } = request;
  const { filesChecked, ...tree } = await compareWithTree(request, ports);
  throwIfAborted(signal);
  const stored = await compareStored(request, ports, { withText: true });
  const differences: IndexDifferences = {
    ...tree,
    points_missing: stored.missing,
    points_stale: stored.stale.length,
    points_doubled: stored.doubled.length,
    points_changed: stored.changed.length,
    points_without_terms: await countWithoutTerms(request, ports),
    points_in: samplePaths(stored.paths),
  };
  return {
    state: {
      commit: repository.lastSyncedCommit,
      files_checked: filesChecked,
      points_checked: stored.points,
      is_equal: repository.lastSyncedCommit !== null && differencesIn(differences) === '',
      ...differences,
    },
    wrongPoints: [...stored.stale, ...stored.doubled, ...stored.changed],
  };
}

/** A collection that cannot have terms lacks none: an older Qdrant cannot add them to it. */
async function countWithoutTerms(
  { repository, collection, signal }: Request,
  { vectorStore }: Ports,
): Promise<number> {
  if (!(await vectorStore.hasTerms(collection, signal))) return 0;
  return vectorStore.countWithoutTerms(collection, repository.id, signal);
}

type TreeDifferences = Pick<
  IndexDifferences,
  'files_missing' | 'files_stale' | 'files_extra' | 'files_failed'
>;

/** Lists the tree only when the manifest gives other ids than the commit's root folder has. */
async function compareWithTree(
  { repository, signal }: Request,
  ports: Ports,
): Promise<TreeDifferences & { filesChecked: number }> {
  const ids = new TreeIds();
  const failed = new Set<string>();
  let filesChecked = 0;
  for await (const rows of ports.manifest.listEntries(repository.id)) {
    throwIfAborted(signal);
    filesChecked += rows.length;
    for (const row of rows) {
      ids.add(row);
      if (row.lastError !== null) failed.add(row.path);
    }
  }
  const none = samplePaths([]);
  const equal = { files_missing: none, files_stale: none, files_extra: none };
  const checked = { filesChecked, ...equal, files_failed: samplePaths(failed) };
  const { projectId, lastSyncedCommit: commit } = repository;
  if (commit === null) return checked;
  const root = await ports.source.listFolder(projectId, commit, '', signal);
  if (isSameFolder(ids.rootEntries(), root)) return checked;
  return { ...checked, ...(await listDifferences(repository, commit, ports, signal)) };
}

async function listDifferences(
  { id, projectId }: Repository,
  commit: string,
  { source, manifest }: Ports,
  signal: AbortSignal,
): Promise<Omit<TreeDifferences, 'files_failed'>> {
  const paths = new DistinctPaths();
  const tree = paths.entries;
  for await (const page of source.listTree(projectId, commit, signal)) {
    for (const entry of page) paths.add(entry);
  }
  const stale = new Set<string>();
  const extra = new Set<string>();
  const unclear: StoredEntry[] = [];
  for await (const rows of manifest.listEntries(id)) {
    for (const row of rows) {
      const entry = tree.get(row.path);
      tree.delete(row.path);
      if (entry === undefined && !isExactText(row.path)) unclear.push(row);
      else if (entry === undefined) extra.add(row.path);
      // A failed row describes a former version and counts as failed.
      else if (row.lastError === null && !isSameEntry(row, entry)) stale.add(row.path);
    }
  }
  // The code host may show a name that is not UTF-8 otherwise.
  const left = groupBy(tree.values(), contentKey);
  for (const row of unclear) {
    const shown = left.get(contentKey(row))?.pop();
    if (shown) tree.delete(shown.path);
    else extra.add(row.path);
  }
  return {
    files_missing: samplePaths(tree.keys()),
    files_stale: samplePaths(stale),
    files_extra: samplePaths(extra),
  };
}

/** Human-readable, e.g. `2 missing point(s), 1 failed file(s)`. */
export function describeDifferences(found: IndexDifferences): string {
  return differencesIn(found) || 'no difference';
}

/** What a repair removes; null: nothing. */
export function driftOf(found: IndexDifferences): IndexDrift | null {
  const files = found.files_missing.files + found.files_stale.files + found.files_extra.files;
  const { points_missing, points_stale, points_doubled, points_changed, points_without_terms } = found;
  const points = points_missing + points_stale + points_doubled + points_changed + points_without_terms;
  return files + points === 0 ? null : { files, points };
}

function differencesIn(found: IndexDifferences): string {
  return countsIn([
    [found.files_missing.files, 'missing file(s)'],
    [found.files_stale.files, 'outdated file(s)'],
    [found.files_extra.files, 'extra file(s)'],
    [found.files_failed.files, 'failed file(s)'],
    [found.points_missing, 'missing point(s)'],
    [found.points_stale, 'outdated point(s)'],
    [found.points_doubled, 'duplicate point(s)'],
    [found.points_changed, 'changed point(s)'],
    [found.points_without_terms, 'point(s) without terms'],
  ]);
}
