import { createHash } from 'node:crypto';
import { pathOf, RepotideError, TimeSlice, type BlobContent, type TreeEntry } from '@core/domain';
import { type ByteReader } from './byte-reader.js';

export interface StoredBlob {
  blobSha: string;
  content: BlobContent;
}

/** Reads the answers of `cat-file --batch-check`: the size of each stored blob. */
export async function* readSizes(
  reader: ByteReader,
  ids: readonly string[],
): AsyncGenerator<[id: string, size: number]> {
  for (const id of ids) {
    const [, type, size] = (await reader.line()).split(' ');
    if (type === 'blob') yield [id, Number(size)];
  }
}

/**
 * Reads the answers of `cat-file --batch`. Each object is a blob, and small enough.
 * @param isReused true: the disk may have damaged it since git computed its id. @throws internal `git_object_damaged`.
 */
export async function* readContents(
  reader: ByteReader,
  blobShas: readonly string[],
  isReused: boolean,
): AsyncGenerator<StoredBlob> {
  for (const blobSha of blobShas) {
    const [, type, size] = (await reader.line()).split(' ');
    if (type !== 'blob') throw objectDamaged('blob', blobSha);
    const bytes = await reader.take(Number(size));
    // The line break after each object.
    await reader.take(1);
    if (isReused) assertIntact(blobSha, 'blob', bytes);
    yield { blobSha, content: { kind: 'bytes', bytes } };
  }
}

/** One text each, instead of one for each entry. */
const MODES = new Map(
  ['100644', '100755', '120000', '40000', '160000'].map((mode) => [mode, mode.padStart(6, '0')]),
);

/**
 * The trees that `cat-file --batch` prints, with their ids, except those that are not stored.
 * @throws invalid `git_tree_invalid`; internal `git_object_damaged`.
 */
export async function* readTrees(reader: ByteReader, count: number): AsyncGenerator<[string, TreeEntry[]]> {
  for (let number = 0; number < count; number += 1) {
    const [id = '', type = '', size = ''] = (await reader.line()).split(' ');
    if (type === 'missing') continue;
    if (type !== 'tree') throw treeInvalid(id);
    const bytes = await reader.take(Number(size));
    // The line break after each object.
    await reader.take(1);
    assertIntact(id, 'tree', bytes);
    yield [id, await parseTree(id, bytes)];
  }
}

/** A tree is a list of mode, space, name, zero byte, binary id. */
async function parseTree(treeId: string, bytes: Buffer): Promise<TreeEntry[]> {
  const slice = new TimeSlice();
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    if (slice.isOver) await slice.next();
    const space = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, at);
    const next = end + 1 + treeId.length / 2;
    const path = pathOf(bytes.subarray(space + 1, end));
    if (space < at || end < space || next > bytes.length || path === '' || path.includes('/'))
      throw treeInvalid(treeId);
    const mode = bytes.toString('latin1', at, space);
    entries.push({
      path,
      mode: MODES.get(mode) ?? mode.padStart(6, '0'),
      blobSha: bytes.toString('hex', end + 1, next),
    });
    at = next;
  }
  return entries;
}

function treeInvalid(treeId: string): RepotideError {
  const message = `The tree ${treeId} that the code host sent is malformed. Run git fsck on the repository there.`;
  return new RepotideError('invalid', 'git_tree_invalid', message);
}

/** Git checks the hash of an object when it arrives, and not when it is read from a pack. @throws internal `git_object_damaged`. */
function assertIntact(id: string, type: 'tree' | 'blob', bytes: Uint8Array): void {
  const hash = createHash(id.length === 64 ? 'sha256' : 'sha1').update(`${type} ${bytes.length}\0`);
  if (hash.update(bytes).digest('hex') === id) return;
  throw objectDamaged(type, id);
}

function objectDamaged(type: 'tree' | 'blob', id: string): RepotideError {
  const message = `The ${type} ${id} was damaged on the temporary disk of the pod. Check that disk.`;
  return new RepotideError('internal', 'git_object_damaged', message);
}
