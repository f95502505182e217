import { BATCH_PATHS, groupBy, RepotideError, throwIfAborted, type TreeEntry } from '@core/domain';
import { shownPath } from '@core/chunking';
import { type SyncRun } from '../run/sync-run.js';
import { readChangedFolders } from './changed-folders.js';
import { findChangedPaths } from './changed-paths.js';
import { DistinctPaths, hasName } from './distinct-paths.js';
import { FOLDER_MODE, isSameEntry, isSameFolder, treeIdsOf } from './git-trees.js';
import { type Listing } from './plan.js';

/** A listing of the whole tree, with the entries of its root folder. */
interface Whole extends Omit<Listing, 'scope'> {
  root: readonly TreeEntry[];
  paths: DistinctPaths;
}

/**
 * Lists a commit's tree: only the changed folders where the source sends trees or its comparison is right, otherwise the
 * whole tree.
 * @throws errors of the source, and temporary `listing_incomplete`. The caller must delete nothing then.
 */
export async function readListing(run: SyncRun): Promise<Listing> {
  const changed = (await readChangedFolders(run)) ?? (await findChangedPaths(run));
  if (changed !== null) return changed;
  const { entries, folderIds, warnings } = await readTree(run);
  return { entries, folderIds, warnings, scope: null };
}

/** The whole tree, verified against the ids of the commit's folders. */
async function readTree(run: SyncRun): Promise<Whole> {
  const whole = await listTree(run);
  const gap = await findGap(run, whole);
  if (gap === null) return whole;
  const facts = { commit: run.commit, path: shownPath(gap) };
  run.ports.logger.warn(facts, 'the listing does not match the tree; listing it again');
  const again = await listTree(run);
  const lasting = await findGap(run, again);
  if (lasting !== null) throw listingIncomplete(run.commit, shownPath(lasting));
  return again;
}

async function listTree(run: SyncRun): Promise<Whole> {
  run.strategies.use('tree');
  const paths = new DistinctPaths();
  const { entries } = paths;
  for await (const page of run.ports.source.listTree(run.repository.projectId, run.commit, run.signal)) {
    for (const entry of page) paths.add(entry);
    run.report('downloading', `Listing files: ${entries.size} so far`);
  }
  return { entries, paths, warnings: paths.warnings(), ...(await treeIdsOf(entries.values())) };
}

/**
 * A page that a server or proxy cut short looks like the last page, so every path after it would look deleted.
 * Therefore the folder ids computed from the listing must equal the commit's root folder, which costs one request. A
 * complete listing may still differ, because of names that are not UTF-8 or folders without files; then each folder
 * that differs is checked, with one request each.
 * @returns a path on which listing and commit differ; null when the listing is complete.
 */
async function findGap(run: SyncRun, { paths, root }: Whole): Promise<string | null> {
  run.strategies.use('tree');
  try {
    return await gapIn(run, paths, '', root);
  } catch (thrown) {
    if (!(thrown instanceof RepotideError) || thrown.code !== 'folder_not_found') throw thrown;
    return findMissingPath(run, paths.entries);
  }
}

async function gapIn(
  run: SyncRun,
  paths: DistinctPaths,
  folder: string,
  listed: readonly TreeEntry[],
): Promise<string | null> {
  throwIfAborted(run.signal);
  const found = await run.listFolder(folder);
  if (isSameFolder(listed, found)) return null;
  const foundByPath = groupBy(found, ({ path }) => path);
  const listedByPath = new Map(listed.map((entry) => [entry.path, entry]));
  const extra = listed.find(({ path }) => !foundByPath.has(path) && !paths.made.has(path));
  if (extra) return extra.path;
  for (const [path, entries] of foundByPath) {
    const entry = listedByPath.get(path);
    if (!hasName(path) || (entry && entries.some((each) => isSameEntry(each, entry)))) continue;
    const isFolder = entries.some(({ mode }) => mode === FOLDER_MODE);
    if (isFolder && entries.length > 1) throw folderUnclear(path);
    const below = isFolder && (await entriesOf(paths.entries, path));
    const gap = below ? await gapIn(run, paths, path, below) : path;
    if (gap !== null) return gap;
  }
  return null;
}

async function entriesOf(tree: ReadonlyMap<string, TreeEntry>, folder: string): Promise<TreeEntry[]> {
  const prefix = `${folder}/`;
  const below = [...tree.values()].filter(({ path }) => path.startsWith(prefix));
  const { root } = await treeIdsOf(below, prefix);
  return root.map((entry) => ({ ...entry, path: prefix + entry.path }));
}

/** When a folder cannot be read by its name, looks up each indexed path that is missing from the listing. */
async function findMissingPath(run: SyncRun, tree: ReadonlyMap<string, TreeEntry>): Promise<string | null> {
  run.strategies.use('graphql');
  let missing: string[] = [];
  const firstFound = async (): Promise<string | null> => {
    const found = await run.ports.source.findBlobs(run.project, run.commit, missing, run.signal);
    missing = [];
    return found.keys().next().value ?? null;
  };
  for await (const rows of run.ports.manifest.listEntries(run.repository.id)) {
    throwIfAborted(run.signal);
    for (const { path, indexedAt } of rows) {
      if (indexedAt !== null && !tree.has(path)) missing.push(path);
      const lost = missing.length === BATCH_PATHS ? await firstFound() : null;
      if (lost !== null) return lost;
    }
  }
  return missing.length > 0 ? firstFound() : null;
}

/** Names that are not UTF-8 may look like one. */
function folderUnclear(path: string): RepotideError {
  return new RepotideError('not_found', 'folder_not_found', `The code host lists "${path}" several times.`);
}

function listingIncomplete(commit: string, path: string): RepotideError {
  const message =
    `The code host's listing of commit ${commit} does not match the commit's folders, first at "${path}". ` +
    'Nothing was deleted. Look for a proxy that cuts or caches answers of repository/tree.';
  return new RepotideError('temporary', 'listing_incomplete', message, { details: { commit, path } });
}
