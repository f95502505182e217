import { BATCH_PATHS, groupsOf, throwIfAborted, type PathChange, type TreeEntry } from '@core/domain';
import { hasSameSettings } from '../run/identity.js';
import { type SyncRun } from '../run/sync-run.js';
import { comparePaths, isSameFolder, TreeIds } from './git-trees.js';
import { type Listing } from './plan.js';

interface ChangedListing extends Listing {
  changedPaths: Set<string>;
}

/**
 * Finds what differs between the manifest and a commit's tree without listing the tree. The host's comparison of the
 * commits is only a hint: the blobs at its paths are looked up, and the manifest with these changes must give the tree
 * ids of the commit's root folder. This detects every wrong or incomplete hint.
 * @returns null when there is no hint, when it costs more than the listing, or when it is wrong.
 */
export async function findChangedPaths(run: SyncRun, commit: string): Promise<Listing | null> {
  const listingPages = await pagesOfListing(run);
  if (listingPages === null) return null;
  try {
    const changes = await hintedChanges(run, commit, listingPages);
    return changes !== null && (await isVerified(run, commit, changes)) ? changes : null;
  } catch (thrown) {
    run.strategies.recordFailure(thrown, run.signal);
    return null;
  }
}

/** Pages of a whole listing; null when the manifest cannot be trusted, or when the listing is cheap. */
async function pagesOfListing(run: SyncRun): Promise<number | null> {
  const { repository, request, ports, settings } = run;
  const isUpToDate = hasSameSettings(repository.indexFingerprint, settings);
  if (run.comparesPoints || !isUpToDate || repository.lastSyncedCommit === null) return null;
  const { total } = await ports.manifest.listFiles(repository.id, {}, { limit: 1, offset: 0 });
  return total < request.limits.compareFromFiles ? null : Math.ceil(total / BATCH_PATHS);
}

async function hintedChanges(
  run: SyncRun,
  commit: string,
  listingPages: number,
): Promise<ChangedListing | null> {
  const changes = await compareCommits(run, commit);
  const failed = await failedPaths(run);
  if (changes === null || failed === null) return null;
  const listing: ChangedListing = { entries: new Map(), changedPaths: new Set(failed) };
  const modes = new Map<string, string>();
  for (const change of changes) {
    listing.changedPaths.add(change.path);
    if (change.kind === 'removed') continue;
    if (change.commit === null) modes.set(change.path, change.mode);
    else listing.entries.set(change.path, { path: change.path, mode: change.mode, blobSha: change.commit });
  }
  const changed = new Set(changes.map(({ path }) => path));
  const sought = [...modes.keys(), ...failed.filter((path) => !changed.has(path))];
  const lookUps = Math.ceil(sought.length / BATCH_PATHS);
  if (lookUps > 1 && lookUps + 1 >= listingPages) return null;
  run.strategies.use('graphql');
  for (const entry of await lookUp(run, commit, sought)) {
    listing.entries.set(entry.path, { ...entry, mode: modes.get(entry.path) ?? entry.mode });
  }
  return listing;
}

/** Null when the host no longer knows the old commit, or leaves changes out. */
async function compareCommits(run: SyncRun, commit: string): Promise<PathChange[] | null> {
  const { projectId, lastSyncedCommit } = run.repository;
  if (lastSyncedCommit === null) return null;
  if (lastSyncedCommit === commit) return [];
  run.strategies.use(run.ports.source.transport()?.name === 'git' ? 'tree' : 'compare');
  run.report('downloading', 'Comparing with the last synced commit');
  const comparison = await run.ports.source.compare(projectId, lastSyncedCommit, commit, run.signal);
  return comparison?.isComplete === true ? comparison.changes : null;
}

/** Rows of failed files may have an older blob, so they are looked up like changed ones. Null: too many. */
async function failedPaths({ ports, repository }: SyncRun): Promise<string[] | null> {
  const filter = { status: 'failed' } as const;
  const { items, total } = await ports.manifest.listFiles(repository.id, filter, {
    limit: BATCH_PATHS,
    offset: 0,
  });
  return total > items.length ? null : items.map(({ path }) => path);
}

async function lookUp(run: SyncRun, commit: string, paths: readonly string[]): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const batch of groupsOf(paths, BATCH_PATHS)) {
    const found = await run.ports.source.findBlobs(run.project, commit, batch, run.signal);
    for (const [path, { mode, blobSha }] of found) entries.push({ path, mode, blobSha });
  }
  return entries;
}

async function isVerified(run: SyncRun, commit: string, listing: ChangedListing): Promise<boolean> {
  const expected = await expectedRoot(run, listing);
  run.strategies.use('tree');
  const found = await run.ports.source.listFolder(run.repository.projectId, commit, '', run.signal);
  const isEqual = isSameFolder(expected, found);
  if (!isEqual)
    run.ports.logger.info({ commit }, 'the comparison does not match the tree; listing the whole tree');
  return isEqual;
}

/** The root folder that the manifest gives with the changes applied. */
async function expectedRoot(run: SyncRun, listing: ChangedListing): Promise<readonly TreeEntry[]> {
  const ids = new TreeIds();
  const changed = [...listing.entries.values()].sort((left, right) => comparePaths(left.path, right.path));
  let next = 0;
  for await (const rows of run.ports.manifest.listEntries(run.repository.id)) {
    throwIfAborted(run.signal);
    for (const row of rows) {
      for (; next < changed.length && comparePaths(changed[next]!.path, row.path) < 0; next++)
        ids.add(changed[next]!);
      if (!listing.changedPaths.has(row.path)) ids.add(row);
    }
  }
  for (; next < changed.length; next++) ids.add(changed[next]!);
  return ids.rootEntries();
}
