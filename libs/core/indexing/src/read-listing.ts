import { BATCH_PATHS, RepotideError, throwIfAborted, type TreeEntry } from '@core/domain';
import { type Listing } from './listing.js';
import { findProvenChanges } from './proven-changes.js';
import { type SyncRun } from './sync-run.js';
import { comparePaths, isSameRoot, TreeIds } from './tree-id.js';

type Tree = Map<string, TreeEntry>;

/**
 * Lists what a commit's tree holds: the proven changes where they are had for less, the whole tree otherwise.
 * @throws whatever the source throws, and temporary `listing_incomplete`; then nothing is known, and nothing is deleted.
 */
export async function readListing(run: SyncRun, commit: string): Promise<Listing> {
  return (
    (await findProvenChanges(run, commit)) ?? { entries: await readTree(run, commit), changedPaths: null }
  );
}

/**
 * The whole tree. A page that a server or a proxy cut short looks like the last one, and every path behind it as if it
 * were gone: where something could be deleted, the ids of the listed folders must give the commit's root folder.
 */
async function readTree(run: SyncRun, commit: string): Promise<Tree> {
  const { manifest, source } = run.ports;
  const tree = await listTree(run, commit);
  const { total } = await manifest.listFiles(run.repository.id, {}, { limit: 1, offset: 0 });
  if (total === 0) return tree;
  const root = await source.listRoot(run.repository.projectId, commit, run.signal);
  if (isSameRoot(rootOf(tree), root)) return tree;
  run.ports.logger.warn({ commit }, 'the listing of the tree does not add up; listing it again');
  const again = await listTree(run, commit);
  if (!isSameRoot(rootOf(again), root)) await assertVanished(run, commit, again);
  return again;
}

async function listTree(run: SyncRun, commit: string): Promise<Tree> {
  run.ways.enter('tree');
  const tree: Tree = new Map();
  for await (const page of run.ports.source.listTree(run.repository.projectId, commit, run.signal)) {
    for (const entry of page) tree.set(entry.path, entry);
    run.report('downloading', `Listing files: ${tree.size} so far`);
  }
  return tree;
}

function rootOf(tree: Tree): readonly TreeEntry[] {
  const ids = new TreeIds();
  const entries = [...tree.values()].sort((left, right) => comparePaths(left.path, right.path));
  for (const entry of entries) ids.add(entry);
  return ids.rootEntries();
}

/**
 * Names that are no UTF-8 and folders without files keep a whole listing from adding up: then each indexed path that it
 * lacks is asked for by name.
 */
async function assertVanished(run: SyncRun, commit: string, tree: Tree): Promise<void> {
  run.ways.enter('graphql');
  let missing: string[] = [];
  const askForMissing = async (): Promise<void> => {
    const found = await run.ports.source.findBlobs(run.project, commit, missing, run.signal);
    if (found.size > 0) throw listingIncomplete(commit, found.size);
    missing = [];
  };
  for await (const rows of run.ports.manifest.listEntries(run.repository.id)) {
    throwIfAborted(run.signal);
    for (const { path, indexedAt } of rows) {
      if (indexedAt === null || tree.has(path)) continue;
      missing.push(path);
      if (missing.length === BATCH_PATHS) await askForMissing();
    }
  }
  if (missing.length > 0) await askForMissing();
}

function listingIncomplete(commit: string, files: number): RepotideError {
  return new RepotideError(
    'temporary',
    'listing_incomplete',
    `The code host's listing of commit ${commit} lacks at least ${files} files that it has. ` +
      'Nothing was deleted. Look for a proxy that cuts or caches answers of repository/tree.',
    { details: { commit, missing_files: files } },
  );
}
