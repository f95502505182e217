import { type BlobContent } from '@core/domain';
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

/** Reads the answers of `cat-file --batch`. Each object is a blob, and small enough. */
export async function* readContents(
  reader: ByteReader,
  blobShas: readonly string[],
): AsyncGenerator<StoredBlob> {
  for (const blobSha of blobShas) {
    const size = (await reader.line()).split(' ')[2];
    const bytes = await reader.take(Number(size));
    // The line break after each object.
    await reader.take(1);
    yield { blobSha, content: { kind: 'bytes', bytes } };
  }
}
