import { BATCH_PATHS, groupsOf, throwIfAborted, type PathChange, type TreeEntry } from '@core/domain';
import { directoriesOf } from '../run/identity.js';
import { type SyncRun } from '../run/sync-run.js';
import { isManifestCurrent } from './changed-folders.js';
import { FOLDER_MODE, isSameFolder, treeIdsOf } from './git-trees.js';
import { type Listing } from './plan.js';

/** What the comparison says. */
interface Hint {
  entries: Map<string, TreeEntry>;
  changedPaths: Set<string>;
}

/**
 * Finds what differs between the manifest and a commit's tree without listing the tree. The host's comparison of the
 * commits is only a hint: the blobs at its paths are looked up, and the manifest's folders with these changes must give the
 * tree ids of the commit's root folder. This detects every wrong or incomplete hint.
 * @returns null when there is no hint, when it costs more than the listing, or when it is wrong.
 */
export async function findChangedPaths(run: SyncRun): Promise<Listing | null> {
  const listingPages = await pagesOfListing(run);
  if (listingPages === null) return null;
  try {
    const hint = await hintedChanges(run, listingPages);
    return hint && (await verified(run, hint));
  } catch (thrown) {
    run.strategies.recordFailure(thrown, run.signal);
    return null;
  }
}

/** Pages of a whole listing; null when the manifest cannot be trusted, or when the listing is cheap. */
async function pagesOfListing(run: SyncRun): Promise<number | null> {
  const { repository, request, ports } = run;
  if (!isManifestCurrent(run)) return null;
  const { files } = await ports.manifest.totalsOf(repository.id);
  return files < request.limits.compareFromFiles ? null : Math.ceil(files / BATCH_PATHS);
}

async function hintedChanges(run: SyncRun, listingPages: number): Promise<Hint | null> {
  const changes = await compareCommits(run);
  const failed = await failedPaths(run);
  if (changes === null || failed === null) return null;
  const listing: Hint = { entries: new Map(), changedPaths: new Set(failed) };
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
  for (const entry of await lookUp(run, sought)) {
    listing.entries.set(entry.path, { ...entry, mode: modes.get(entry.path) ?? entry.mode });
  }
  return listing;
}

/** Null when the host no longer knows the old commit, or leaves changes out. */
async function compareCommits(run: SyncRun): Promise<PathChange[] | null> {
  const { commit } = run;
  const { projectId, lastSyncedCommit } = run.repository;
  if (lastSyncedCommit === null) return null;
  if (lastSyncedCommit === commit) return [];
  run.strategies.use('compare');
  run.report('downloading', 'Comparing with the last synced commit');
  const comparison = await run.ports.source.compare(projectId, lastSyncedCommit, commit, run.signal);
  return comparison?.isComplete === true ? comparison.changes : null;
}

/** Rows of failed files may have an older blob, so they are looked up like changed ones. Null: too many. */
async function failedPaths({ ports, repository }: SyncRun): Promise<string[] | null> {
  const page = { limit: BATCH_PATHS, offset: 0 };
  const { items, total } = await ports.manifest.listFiles(repository.id, { status: 'failed' }, page);
  return total > items.length ? null : items.map(({ path }) => path);
}

async function lookUp(run: SyncRun, paths: readonly string[]): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const batch of groupsOf(paths, BATCH_PATHS)) {
    const found = await run.ports.source.findBlobs(run.project, run.commit, batch, run.signal);
    for (const [path, { mode, blobSha }] of found) entries.push({ path, mode, blobSha });
  }
  return entries;
}

/** Null when the hint is wrong. */
async function verified(run: SyncRun, hint: Hint): Promise<Listing | null> {
  const folders = new Set([...hint.changedPaths].flatMap((path) => ['', ...directoriesOf(path)]));
  const leaves = await expectedEntries(run, hint, folders);
  if (leaves === null) return null;
  const { root, folderIds } = await treeIdsOf(leaves);
  run.strategies.use('tree');
  if (isSameFolder(root, await run.listFolder(''))) {
    const files = leaves.filter(({ mode }) => mode !== FOLDER_MODE);
    const entries = new Map(files.map((entry) => [entry.path, entry]));
    return { entries, folderIds, warnings: [], scope: { folders, below: new Set() } };
  }
  run.ports.logger.info(
    { commit: run.commit },
    'the comparison does not match the tree; listing the whole tree',
  );
  return null;
}

/** The entries of folders that the manifest gives with the changes applied; null when it does not know a tree id. */
async function expectedEntries(
  run: SyncRun,
  { entries, changedPaths }: Hint,
  folders: ReadonlySet<string>,
): Promise<TreeEntry[] | null> {
  const { manifest } = run.ports;
  const { id } = run.repository;
  const expected = [...entries.values()];
  for (const { path, treeId } of await manifest.findFolders(id, [...folders])) {
    if (folders.has(path)) continue;
    if (treeId === null) return null;
    expected.push({ path, mode: FOLDER_MODE, blobSha: treeId });
  }
  for await (const rows of manifest.listEntriesIn(id, { folders, below: new Set() })) {
    throwIfAborted(run.signal);
    for (const { path, mode, blobSha } of rows) {
      if (!changedPaths.has(path)) expected.push({ path, mode, blobSha });
    }
  }
  return expected;
}
