import { BATCH_PATHS, RepotideError, throwIfAborted, type TreeEntry } from '@core/domain';
import { type SyncRun } from '../run/sync-run.js';
import { comparePaths, FOLDER_MODE, isSameEntry, isSameFolder, TreeIds } from './tree-id.js';

type Tree = ReadonlyMap<string, TreeEntry>;

/**
 * A page that a server or a proxy cut short looks like the last one, and every path behind it as if it were gone, or had
 * never been: the ids of the listed folders must give the commit's root folder, which costs one request. Names that are
 * no UTF-8 and folders without files keep a whole listing from adding up; then the folders that differ are looked into,
 * one request each.
 * @returns a path of which listing and commit say different things; null when the listing is whole.
 */
export async function findGap(run: SyncRun, commit: string, tree: Tree): Promise<string | null> {
  run.ways.enter('tree');
  try {
    return await gapIn(run, commit, tree, '');
  } catch (thrown) {
    if (!(thrown instanceof RepotideError) || thrown.code !== 'folder_not_found') throw thrown;
    return findLost(run, commit, tree);
  }
}

async function gapIn(run: SyncRun, commit: string, tree: Tree, folder: string): Promise<string | null> {
  throwIfAborted(run.signal);
  const listed = entriesOf(tree, folder);
  const found = await run.ports.source.listFolder(run.repository.projectId, commit, folder, run.signal);
  if (isSameFolder(listed, found)) return null;
  const foundByPath = byPath(found);
  const listedByPath = new Map(listed.map((entry) => [entry.path, entry]));
  const extra = listed.find(({ path }) => !foundByPath.has(path));
  if (extra) return extra.path;
  for (const [path, entries] of foundByPath) {
    const entry = listedByPath.get(path);
    if (entry && entries.some((each) => isSameEntry(each, entry))) continue;
    const isFolder = entries.some(({ mode }) => mode === FOLDER_MODE);
    const gap = isFolder ? await gapIn(run, commit, tree, path) : path;
    if (gap !== null) return gap;
  }
  return null;
}

/** Two names that are no UTF-8 may be shown as one. */
function byPath(entries: readonly TreeEntry[]): Map<string, TreeEntry[]> {
  const groups = new Map<string, TreeEntry[]>();
  for (const entry of entries) groups.set(entry.path, [...(groups.get(entry.path) ?? []), entry]);
  return groups;
}

function entriesOf(tree: Tree, folder: string): TreeEntry[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const below = [...tree.values()].filter(({ path }) => path.startsWith(prefix));
  const ids = new TreeIds();
  for (const entry of below.sort((left, right) => comparePaths(left.path, right.path)))
    ids.add({ ...entry, path: entry.path.slice(prefix.length) });
  return ids.rootEntries().map((entry) => ({ ...entry, path: prefix + entry.path }));
}

/** Where a folder is not to be had by its name, each indexed path that the listing lacks is asked for by its own. */
async function findLost(run: SyncRun, commit: string, tree: Tree): Promise<string | null> {
  run.ways.enter('graphql');
  let missing: string[] = [];
  const askForMissing = async (): Promise<string | null> => {
    const found = await run.ports.source.findBlobs(run.project, commit, missing, run.signal);
    missing = [];
    return found.keys().next().value ?? null;
  };
  for await (const rows of run.ports.manifest.listEntries(run.repository.id)) {
    throwIfAborted(run.signal);
    for (const { path, indexedAt } of rows) {
      if (indexedAt !== null && !tree.has(path)) missing.push(path);
      const lost = missing.length === BATCH_PATHS ? await askForMissing() : null;
      if (lost !== null) return lost;
    }
  }
  return missing.length > 0 ? askForMissing() : null;
}
