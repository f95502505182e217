import { type TreeEntry } from '@core/domain';
import { treeIdOf } from '../run/object-id.js';

export const FOLDER_MODE = '040000';

interface OpenFolder {
  name: string;
  /** Entries so far, each as git writes it. */
  content: Buffer[];
}

/**
 * Computes the ids of a commit's folders from its files, as git does: equal ids prove equal trees. Takes files in the
 * byte order of their paths, which is the order of git's own folders; holds the entries of the folders on one path.
 */
export class TreeIds {
  private readonly open: OpenFolder[] = [];
  private readonly root: TreeEntry[] = [];
  private idLike = '';

  add(entry: TreeEntry): void {
    const folders = entry.path.split('/');
    const name = folders.pop() ?? '';
    this.closeDownTo(this.sharedDepth(folders));
    for (const folder of folders.slice(this.open.length)) this.open.push({ name: folder, content: [] });
    this.put(name, entry.mode, entry.blobSha);
  }

  /** What the root folder holds: files with their blob id, folders with the id of their tree. */
  rootEntries(): readonly TreeEntry[] {
    this.closeDownTo(0);
    return this.root;
  }

  private sharedDepth(folders: readonly string[]): number {
    const different = this.open.findIndex(({ name }, depth) => folders[depth] !== name);
    return different < 0 ? this.open.length : different;
  }

  private closeDownTo(depth: number): void {
    while (this.open.length > depth) {
      const { name, content } = this.open.pop()!;
      const bytes = Buffer.concat(content);
      this.put(name, FOLDER_MODE, treeIdOf(bytes, this.idLike));
    }
  }

  private put(name: string, mode: string, blobSha: string): void {
    this.idLike = blobSha;
    const folder = this.open.at(-1);
    if (folder === undefined) this.root.push({ path: name, mode, blobSha });
    // Git writes modes without a leading zero.
    else folder.content.push(Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`), Buffer.from(blobSha, 'hex'));
  }
}

/** Whether two lists of what a folder holds are the same, in any order. */
export function isSameFolder(expected: readonly TreeEntry[], found: readonly TreeEntry[]): boolean {
  const foundByPath = new Map(found.map((entry) => [entry.path, entry]));
  return (
    expected.length === found.length &&
    expected.every((entry) => isSameEntry(entry, foundByPath.get(entry.path)))
  );
}

export function isSameEntry({ mode, blobSha }: TreeEntry, other: TreeEntry | undefined): boolean {
  return other?.mode === mode && other.blobSha === blobSha;
}

/** The byte order of paths, in which git and the manifest list them; JavaScript's own differs beyond U+FFFF. */
export function comparePaths(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}
