import { type TreeEntry } from '@core/domain';
import { type Listing } from './listing.js';
import { findProvenChanges } from './proven-changes.js';
import { type SyncRun } from './sync-run.js';

/**
 * Lists what a commit's tree holds: the proven changes where they are had for less, the whole tree otherwise.
 * @throws whatever the source throws; then nothing is known, and nothing is deleted.
 */
export async function readListing(run: SyncRun, commit: string): Promise<Listing> {
  return (
    (await findProvenChanges(run, commit)) ?? { entries: await readTree(run, commit), changedPaths: null }
  );
}

async function readTree(run: SyncRun, commit: string): Promise<Map<string, TreeEntry>> {
  run.ways.enter('tree');
  const tree = new Map<string, TreeEntry>();
  for await (const page of run.ports.source.listTree(run.repository.projectId, commit, run.signal)) {
    for (const entry of page) tree.set(entry.path, entry);
    run.report('downloading', `Listing files: ${tree.size} so far`);
  }
  return tree;
}
