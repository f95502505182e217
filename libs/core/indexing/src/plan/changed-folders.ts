import { RepotideError, throwIfAborted, TimeSlice, type TreeEntry, type TreeReader } from '@core/domain';
import { hasSameSettings } from '../run/identity.js';
import { type SyncRun } from '../run/sync-run.js';
import { DistinctPaths } from './distinct-paths.js';
import { FOLDER_MODE } from './git-trees.js';
import { type Listing } from './plan.js';

/** A tree whose folders repeat each other is small and has any number of paths, also without a single file. */
const MAX_PATHS = 5_000_000;
const MAX_FOLDERS = 500_000;

interface Folder {
  path: string;
  id: string;
}

/** Whether the rows of the manifest describe its trees, so that equal tree ids mean that nothing is to be done. */
export function isManifestCurrent({ comparesPoints, repository, settings }: SyncRun): boolean {
  const { indexFingerprint, lastSyncedCommit } = repository;
  return !comparesPoints && lastSyncedCommit !== null && hasSameSettings(indexFingerprint, settings);
}

/**
 * Reads a commit's trees from the root down, and only the folders whose id differs from the manifest's. An id is the hash
 * of everything below, so folders with equal ids need not be read, compared or proven.
 * @returns null when the source cannot send trees.
 */
export async function readChangedFolders(run: SyncRun): Promise<Listing | null> {
  const { projectId, lastSyncedCommit } = run.repository;
  run.strategies.use('tree');
  const former = isManifestCurrent(run) ? lastSyncedCommit : null;
  const trees = await run.ports.source.openTrees(projectId, run.commit, former, run.signal);
  return trees && new FolderWalk(run, former !== null).walk(trees);
}

class FolderWalk {
  private readonly slice = new TimeSlice();
  private readonly paths = new DistinctPaths();
  private readonly folderIds = new Map<string, string>();
  private readonly removed = new Set<string>();

  /** @param isManifestCurrent false: every folder is read. */
  constructor(
    private readonly run: SyncRun,
    private readonly isManifestCurrent: boolean,
  ) {}

  /** Null when the source stopped sending trees. */
  async walk(trees: TreeReader): Promise<Listing | null> {
    let folders = await this.changedIn([{ path: '', id: trees.rootId }], async () => this.knownRoot());
    while (folders.length > 0) {
      throwIfAborted(this.run.signal);
      const found = await trees.read([...new Set(folders.map(({ id }) => id))], this.run.signal);
      if (found === null) return null;
      const read = folders.filter(({ id }) => found.has(id));
      const missing = folders.filter(({ id }) => !found.has(id));
      const inside = await this.enter(read, found);
      const known = () => this.knownIn(read.map(({ path }) => path));
      folders = [...missing, ...(await this.changedIn(inside, known))];
      this.run.report('downloading', `Listing files: ${this.paths.entries.size} so far`);
    }
    const { folderIds, paths } = this;
    const scope = { folders: new Set(folderIds.keys()), below: this.removed };
    const warnings = paths.warnings();
    return { entries: paths.entries, folderIds, warnings, scope: this.isManifestCurrent ? scope : null };
  }

  /** Keeps the files of folders. @returns their subfolders. */
  private async enter(
    folders: readonly Folder[],
    found: ReadonlyMap<string, readonly TreeEntry[]>,
  ): Promise<Folder[]> {
    const inside: Folder[] = [];
    for (const { path, id } of folders) {
      this.folderIds.set(path, id);
      for (const { path: name, mode, blobSha } of found.get(id) ?? []) {
        if (this.slice.isOver) await this.slice.next();
        const full = path === '' ? name : `${path}/${name}`;
        if (mode === FOLDER_MODE) inside.push({ path: full, id: blobSha });
        else this.paths.add({ path: full, mode, blobSha });
      }
      const folderCount = this.folderIds.size + inside.length;
      if (this.paths.entries.size > MAX_PATHS || folderCount > MAX_FOLDERS) throw treeTooLarge();
    }
    return inside;
  }

  /** The folders that the manifest has with another id, or not at all; notes the known ones that were removed. */
  private async changedIn(
    folders: readonly Folder[],
    findKnown: () => Promise<ReadonlyMap<string, string | null>>,
  ): Promise<Folder[]> {
    if (!this.isManifestCurrent) return [...folders];
    const known = await findKnown();
    const kept = new Set(folders.map(({ path }) => path));
    for (const path of known.keys()) if (!kept.has(path)) this.removed.add(path);
    return folders.filter(({ path, id }) => known.get(path) !== id);
  }

  private async knownRoot(): Promise<Map<string, string | null>> {
    const { rootTreeId } = await this.run.ports.manifest.totalsOf(this.run.repository.id);
    return new Map([['', rootTreeId]]);
  }

  private async knownIn(parents: readonly string[]): Promise<Map<string, string | null>> {
    const known = await this.run.ports.manifest.findFolders(this.run.repository.id, parents);
    return new Map(known.map(({ path, treeId }) => [path, treeId]));
  }
}

function treeTooLarge(): RepotideError {
  const message = `The tree has more than ${MAX_PATHS} files or ${MAX_FOLDERS} folders. Such a repository cannot be indexed.`;
  return new RepotideError('invalid', 'tree_too_large', message);
}
