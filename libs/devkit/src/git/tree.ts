import { runGit } from './git-command.js';

/** One line of `git ls-tree`. */
export interface GitTreeEntry {
  path: string;
  /** 100644, 100755, 120000 (symlink), 160000 (submodule), 040000 (folder). */
  mode: string;
  type: 'blob' | 'tree' | 'commit';
  sha: string;
}

/**
 * Every file, symlink and submodule of a commit as git lists them, so that tests can compare an index with it.
 * @throws invalid `git_failed` when the directory is not a repository or the revision is unknown.
 */
export async function listTree(directory: string, revision: string): Promise<GitTreeEntry[]> {
  return parseTree(
    await runGit(directory, ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', revision]),
  );
}

/** Like {@link listTree}, with folders, for a commit SHA. */
export async function readTree(directory: string, commit: string, signal: AbortSignal): Promise<TreeListing> {
  const output = await runGit(directory, ['ls-tree', '-r', '-t', '-z', '--full-tree', commit], { signal });
  return new TreeListing(parseTree(output));
}

function parseTree(output: Buffer): GitTreeEntry[] {
  const records = output.toString().split('\0');
  records.pop();
  return records.map((record) => {
    const tab = record.indexOf('\t');
    const [mode = '', type = '', sha = ''] = record.slice(0, tab).split(' ');
    return { path: record.slice(tab + 1), mode, type: type as GitTreeEntry['type'], sha };
  });
}

/** A part of a tree, in the order in which GitLab pages through it. */
export interface TreeSelection {
  entries: readonly GitTreeEntry[];
  indexOf: ReadonlyMap<string, number>;
}

const TYPE_ORDER = { tree: 0, blob: 1, commit: 2 };

/** The whole tree of one commit; caches each part. */
export class TreeListing {
  private readonly byPath: ReadonlyMap<string, GitTreeEntry>;
  private readonly selections = new Map<string, TreeSelection>();

  constructor(private readonly entries: readonly GitTreeEntry[]) {
    this.byPath = new Map(entries.map((entry) => [entry.path, entry]));
  }

  find(path: string): GitTreeEntry | null {
    return this.byPath.get(path) ?? null;
  }

  /** Null when the folder does not exist. The root is the empty path. */
  select(folder: string, isRecursive: boolean): TreeSelection | null {
    if (folder !== '' && this.find(folder)?.type !== 'tree') return null;
    const key = `${isRecursive}:${folder}`;
    const known = this.selections.get(key);
    if (known !== undefined) return known;
    const prefix = folder === '' ? '' : `${folder}/`;
    const entries = this.entries
      .filter(({ path }) => path.startsWith(prefix) && (isRecursive || !path.includes('/', prefix.length)))
      // Gitaly lists folders first, at any depth.
      .sort((one, other) => TYPE_ORDER[one.type] - TYPE_ORDER[other.type]);
    const selection = { entries, indexOf: new Map(entries.map(({ path }, index) => [path, index])) };
    this.selections.set(key, selection);
    return selection;
  }
}
