import { createChunker, readText } from '@core/chunking';
import { type Embedder } from '@core/domain';
import { type SyncWorld } from '../../../support/sync-world.js';

interface StoredChunk {
  path: string;
  blobSha: string;
  chunkIndex: number;
  text: string;
  vector: Buffer;
}

/** What the store must hold, worked out from git's own bytes. Remembers blobs of one repository. */
export class Truth {
  private readonly chunks = new Map<string, Promise<readonly string[]>>();

  constructor(
    private readonly world: SyncWorld,
    private readonly embedder: Embedder,
  ) {}

  /** Points whose text or vector is not that of their blob; a run that failed may leave old points, but no false one. */
  async falsePoints(): Promise<string[]> {
    const stored = await this.stored();
    const vectors = await this.embedder.embed(
      stored.map(({ text }) => text),
      'document',
      new AbortController().signal,
    );
    const isFalse = await Promise.all(
      stored.map(async ({ path, blobSha, chunkIndex, text, vector }, position) => {
        const expected = await this.chunksOf(path, blobSha);
        return expected[chunkIndex] !== text || !isSameVector(vector, vectors[position]!);
      }),
    );
    return stored
      .filter((_, position) => isFalse[position])
      .map(({ path, chunkIndex }) => `${path}#${chunkIndex}`);
  }

  /** Files whose points are not whole. */
  async shortFiles(): Promise<string[]> {
    const entries = await this.world.entries();
    const short: string[] = [];
    for (const { path, blobSha, indexedAt, chunkCount } of entries) {
      if (indexedAt !== null && (await this.chunksOf(path, blobSha)).length !== chunkCount) short.push(path);
    }
    return short;
  }

  private stored(): Promise<StoredChunk[]> {
    return this.world.database.query<StoredChunk>(
      `SELECT path, blob_sha AS "blobSha", chunk_index AS "chunkIndex", payload->>'text' AS text, vector
        FROM vector_points WHERE repository_id = $1 ORDER BY path, chunk_index`,
      [this.world.repositoryId],
    );
  }

  private chunksOf(path: string, blobSha: string): Promise<readonly string[]> {
    const key = `${blobSha} ${path}`;
    const known = this.chunks.get(key) ?? this.chunk(path, blobSha);
    this.chunks.set(key, known);
    return known;
  }

  private async chunk(path: string, blobSha: string): Promise<readonly string[]> {
    const repository = await this.world.repository();
    const bytes = await this.world.readBlob(blobSha);
    const text = readText(bytes, repository);
    if (text.kind === 'skipped') return [];
    return (await createChunker(repository).split(text.text, path)).map((chunk) => chunk.text);
  }
}

function isSameVector(stored: Buffer, expected: Float32Array): boolean {
  const values = new Float32Array(Uint8Array.from(stored).buffer);
  return (
    values.length === expected.length &&
    values.every((value, index) => Math.abs(value - expected[index]!) < 1e-6)
  );
}
