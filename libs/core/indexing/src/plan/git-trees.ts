import { createHash, type Hash } from 'node:crypto';
import { bytesOfPath, isExactText, sortInSlices, TimeSlice, type TreeEntry } from '@core/domain';

/** SHA-1, or SHA-256 when the repository uses it: the length of an id shows which. */
function startHash(kind: 'blob' | 'tree', sizeBytes: number, idLike: string): Hash {
  return createHash(idLike.length === 64 ? 'sha256' : 'sha1').update(`${kind} ${sizeBytes}\0`);
}

/** Git's id of a blob, to verify bytes. @param idLike any id of the repository. */
export function blobIdOf(bytes: Uint8Array, idLike: string): string {
  return startBlobId(bytes.length, idLike).update(bytes).digest('hex');
}

/** {@link blobIdOf} for bytes in parts: update it with each part, then take its hex digest. */
export function startBlobId(sizeBytes: number, idLike: string): Hash {
  return startHash('blob', sizeBytes, idLike);
}

export const FOLDER_MODE = '040000';

/**
 * Computes the ids of a commit's folders from its entries, as git does: equal ids prove equal trees. Entries must come in
 * git's order, which is that of {@link compareEntries}. Keeps only the entries of the folders on the current path.
 */
export class TreeIds {
  /** Folders on the current path, with their entries so far as git writes them. */
  private readonly open: { name: string; content: Buffer[] }[] = [];
  private readonly root: TreeEntry[] = [];
  private idLike = '';
  /** True: a name is escaped, and its path sorts differently from its bytes. */
  private hasOtherOrder = false;

  /** @param onFolder receives the id of each folder when its last entry has come, except that of the root. */
  constructor(private readonly onFolder: (path: string, id: string) => void = () => undefined) {}

  /** @param entry a file, or a folder with the id of its tree. */
  add(entry: TreeEntry): void {
    const folders = entry.path.split('/');
    const name = folders.pop() ?? '';
    const different = this.open.findIndex((folder, depth) => folders[depth] !== folder.name);
    if (different >= 0) this.closeDownTo(different);
    for (const folder of folders.slice(this.open.length)) this.open.push({ name: folder, content: [] });
    this.put(name, entry.mode, entry.blobSha);
  }

  /** The root folder's entries: files with their blob id, folders with their tree id. */
  rootEntries(): readonly TreeEntry[] {
    this.closeDownTo(0);
    return this.root;
  }

  /** The id of the root's tree. */
  rootId(): string {
    return this.idOf(this.rootEntries().map(({ path, mode, blobSha }) => contentOf(path, mode, blobSha)));
  }

  private closeDownTo(depth: number): void {
    while (this.open.length > depth) {
      const path = this.open.map((folder) => folder.name).join('/');
      const { name, content } = this.open.pop()!;
      const id = this.idOf(content);
      this.onFolder(path, id);
      this.put(name, FOLDER_MODE, id);
    }
  }

  private put(name: string, mode: string, blobSha: string): void {
    this.idLike = blobSha;
    this.hasOtherOrder ||= name.includes('\\x');
    const folder = this.open.at(-1);
    if (folder === undefined) this.root.push({ path: name, mode, blobSha });
    else folder.content.push(contentOf(name, mode, blobSha));
  }

  private idOf(content: readonly Buffer[]): string {
    const bytes = Buffer.concat(this.hasOtherOrder ? inOrder(content) : content);
    return startHash('tree', bytes.length, this.idLike).update(bytes).digest('hex');
  }
}

/** The entries of the root folder, and the ids of all folders. In time slices. @param prefix is cut from each path. */
export async function treeIdsOf(
  entries: Iterable<TreeEntry>,
  prefix = '',
): Promise<{ root: readonly TreeEntry[]; folderIds: Map<string, string> }> {
  const folderIds = new Map<string, string>();
  const ids = new TreeIds((path, id) => void folderIds.set(path, id));
  const slice = new TimeSlice();
  for (const entry of await sortInSlices([...entries], compareEntries)) {
    if (slice.isOver) await slice.next();
    ids.add({ ...entry, path: entry.path.slice(prefix.length) });
  }
  return { root: ids.rootEntries(), folderIds: folderIds.set('', ids.rootId()) };
}

/** Git writes modes without a leading zero. */
function contentOf(name: string, mode: string, blobSha: string): Buffer {
  const written = [Buffer.from(`${mode.replace(/^0/, '')} `), bytesOfPath(name), Buffer.from([0])];
  return Buffer.concat([...written, Buffer.from(blobSha, 'hex')]);
}

/** The order in which git stores the entries of a folder. */
function inOrder(content: readonly Buffer[]): Buffer[] {
  const nameOf = (entry: Buffer): Buffer => {
    const name = entry.subarray(entry.indexOf(' ') + 1, entry.indexOf(0));
    return entry.toString('latin1', 0, 2) === '40' ? Buffer.concat([name, Buffer.from('/')]) : name;
  };
  return content.toSorted((left, right) => Buffer.compare(nameOf(left), nameOf(right)));
}

/**
 * Whether two lists of a folder's entries are equal, in any order. The code host may show a name that is not UTF-8 otherwise, so
 * such an expected entry is equal to any that is left with its mode and id.
 */
export function isSameFolder(expected: readonly TreeEntry[], found: readonly TreeEntry[]): boolean {
  const withPath = (entry: TreeEntry): string => `${entry.path}\0${contentKey(entry)}`;
  const named = new Set(expected.filter(({ path }) => isExactText(path)).map(withPath));
  const others = expected.filter(({ path }) => !isExactText(path)).map(contentKey);
  const left = found.filter((entry) => !named.delete(withPath(entry))).map(contentKey);
  return named.size === 0 && left.sort().join() === others.sort().join();
}

/** Mode and id. */
export function contentKey({ mode, blobSha }: Pick<TreeEntry, 'mode' | 'blobSha'>): string {
  return `${mode} ${blobSha}`;
}

export function isSameEntry({ mode, blobSha }: TreeEntry, other: TreeEntry | undefined): boolean {
  return other?.mode === mode && other.blobSha === blobSha;
}

/** The order in which git stores entries: a folder is sorted as if its name ended with a slash. */
function compareEntries(left: TreeEntry, right: TreeEntry): number {
  return comparePaths(sortName(left), sortName(right));
}

function sortName({ path, mode }: TreeEntry): string {
  return mode === FOLDER_MODE ? `${path}/` : path;
}

/** The byte order of paths, as in git and the manifest; JavaScript's order differs beyond U+FFFF. */
export function comparePaths(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = rankOf(left.charCodeAt(index)) - rankOf(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** In UTF-8, the characters that UTF-16 writes as surrogates come last. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
