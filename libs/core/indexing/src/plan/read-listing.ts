import { RepotideError, type TreeEntry } from '@core/domain';
import { type Listing } from './listing.js';
import { findGap } from './prove-listing.js';
import { findProvenChanges } from './proven-changes.js';
import { type SyncRun } from '../run/sync-run.js';

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

/** The whole tree, as the commit's folders prove it. */
async function readTree(run: SyncRun, commit: string): Promise<Tree> {
  const tree = await listTree(run, commit);
  const gap = await findGap(run, commit, tree);
  if (gap === null) return tree;
  run.ports.logger.warn({ commit, path: gap }, 'the listing of the tree does not add up; listing it again');
  const again = await listTree(run, commit);
  const lasting = await findGap(run, commit, again);
  if (lasting !== null) throw listingIncomplete(commit, lasting);
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

function listingIncomplete(commit: string, path: string): RepotideError {
  return new RepotideError(
    'temporary',
    'listing_incomplete',
    `The code host's listing of commit ${commit} is not what its folders hold, first at "${path}". ` +
      'Nothing was deleted. Look for a proxy that cuts or caches answers of repository/tree.',
    { details: { commit, path } },
  );
}
