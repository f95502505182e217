import { type BlobContent } from '@core/domain';
import { assertIntact, objectDamaged } from './object-id.js';
import { type ByteReader } from './byte-reader.js';

export interface StoredBlob {
  blobSha: string;
  content: BlobContent;
}

/** Reads the answers of `cat-file --batch-check`: the size of each stored blob. */
export async function readSizes(reader: ByteReader, ids: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const id of ids) {
    const [, type, size] = (await reader.line()).split(' ');
    if (type === 'blob') sizes.set(id, Number(size));
  }
  return sizes;
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
