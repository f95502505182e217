import { isUtf8 } from 'node:buffer';
import { bytesOfPath, pathOf, pathOfText } from '@core/domain';
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
  const entries: GitTreeEntry[] = [];
  for (let at = 0; at < output.length;) {
    const tab = output.indexOf('\t', at);
    const end = output.indexOf(0, tab);
    const [mode = '', type = '', sha = ''] = output.toString('latin1', at, tab).split(' ');
    const path = pathOf(output.subarray(tab + 1, end));
    entries.push({ path, mode, type: type as GitTreeEntry['type'], sha });
    at = end + 1;
  }
  return entries;
}

/** A part of a tree, in the order in which GitLab pages through it. */
export interface TreeSelection {
  entries: readonly GitTreeEntry[];
  indexOf: ReadonlyMap<string, number>;
}

const ESCAPED_BYTE = /\\x[89A-F][0-9A-F]/;
const TYPE_ORDER = { tree: 0, blob: 1, commit: 2 };

/** The whole tree of one commit; caches each part. */
export class TreeListing {
  private readonly byPath: ReadonlyMap<string, GitTreeEntry>;
  private readonly selections = new Map<string, TreeSelection>();

  constructor(private readonly entries: readonly GitTreeEntry[]) {
    this.byPath = new Map(entries.map((entry) => [entry.path, entry]));
  }

  /** @param name a path as text: a name that is not UTF-8 is never found. */
  find(name: string): GitTreeEntry | null {
    return this.byPath.get(pathOfText(name)) ?? null;
  }

  /** Null when the folder does not exist. The root is the empty path. */
  select(folder: string, isRecursive: boolean): TreeSelection | null {
    if (folder !== '' && this.find(folder)?.type !== 'tree') return null;
    const key = `${isRecursive}:${folder}`;
    const known = this.selections.get(key);
    if (known !== undefined) return known;
    const prefix = folder === '' ? '' : `${pathOfText(folder)}/`;
    const entries = this.entries
      .filter(({ path }) => path.startsWith(prefix) && (isRecursive || !path.includes('/', prefix.length)))
      // Gitaly lists folders first, at any depth.
      .sort((one, other) => TYPE_ORDER[one.type] - TYPE_ORDER[other.type]);
    const selection = { entries, indexOf: new Map(entries.map(({ path }, index) => [path, index])) };
    this.selections.set(key, selection);
    return selection;
  }
}

/** A path as GitLab shows it: without the bytes that are not UTF-8. Source: GitLab's encoding_helper, `clean`. */
export function shownByGitLab(path: string): string {
  const bytes = bytesOfPath(path);
  if (isUtf8(bytes)) return bytes.toString();
  return path
    .split(ESCAPED_BYTE)
    .map((part) => bytesOfPath(part).toString())
    .join('');
}
