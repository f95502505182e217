import { pathOf, RepotideError, TimeSlice, type TreeEntry } from '@core/domain';
import { type ByteReader } from './byte-reader.js';
import { assertIntact } from './object-id.js';

/** One text each, instead of one for each entry. */
const MODES = new Map(
  ['100644', '100755', '120000', '40000', '160000'].map((mode) => [mode, mode.padStart(6, '0')]),
);

/** The trees that `cat-file --batch` prints, with their ids, except those that are not stored. @throws invalid `git_tree_invalid`; internal `git_object_damaged`. */
export async function readTrees(reader: ByteReader, count: number): Promise<[string, TreeEntry[]][]> {
  const trees: [string, TreeEntry[]][] = [];
  for (let number = 0; number < count; number += 1) {
    const [id = '', type = '', size = ''] = (await reader.line()).split(' ');
    if (type === 'missing') continue;
    if (type !== 'tree') throw treeInvalid(id);
    const bytes = await reader.take(Number(size));
    assertIntact(id, 'tree', bytes);
    trees.push([id, await parseTree(id, bytes)]);
    // The line break after each object.
    await reader.take(1);
  }
  return trees;
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
