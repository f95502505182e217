import { createChunker, readText } from '@core/chunking';
import { type createLexicalEmbedder } from '@adapters/embedding';
import { type SyncWorld } from '../../../support/sync-world.js';

/** The expected content of the vector store, computed from the git objects. Caches the blobs of one repository. */
export class Truth {
  private readonly chunks = new Map<string, Promise<readonly string[]>>();
  private readonly vectors = new Map<string, Float32Array>();

  constructor(
    private readonly world: SyncWorld,
    private readonly embedder: ReturnType<typeof createLexicalEmbedder>,
  ) {}

  /** Points whose text or vector differs from their blob. A failed run may leave old points, but no wrong one. */
  async falsePoints(): Promise<string[]> {
    const stored = await this.world.wholePoints();
    await this.embedNew(stored.map(({ payload }) => payload.text));
    const isFalse = await Promise.all(
      stored.map(async ({ payload, vector }) => {
        const expected = await this.chunksOf(payload.path, payload.blob_sha);
        const isSameText = expected[payload.chunk_index] === payload.text;
        return !isSameText || !isSameVector(vector, this.vectors.get(payload.text)!);
      }),
    );
    return stored
      .filter((_, position) => isFalse[position])
      .map(({ payload }) => `${payload.path}#${payload.chunk_index}`);
  }

  /** Files with missing points. */
  async shortFiles(): Promise<string[]> {
    const entries = await this.world.entries();
    const short: string[] = [];
    for (const { path, blobSha, indexedAt, chunkCount } of entries) {
      if (indexedAt !== null && (await this.chunksOf(path, blobSha)).length !== chunkCount) short.push(path);
    }
    return short;
  }

  private async embedNew(texts: readonly string[]): Promise<void> {
    const unknown = [...new Set(texts)].filter((text) => !this.vectors.has(text));
    const found = await this.embedder.embed(unknown, 'document', new AbortController().signal);
    unknown.forEach((text, position) => this.vectors.set(text, found[position]!));
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
    const read = readText(bytes, { path, maxFileBytes: repository.maxFileBytes });
    if (read.kind === 'skipped') return [];
    return createChunker(repository)
      .split(read.text, path)
      .map((chunk) => chunk.text);
  }
}

function isSameVector(stored: Float32Array, expected: Float32Array): boolean {
  return (
    stored.length === expected.length &&
    stored.every((value, index) => Math.abs(value - expected[index]!) < 1e-6)
  );
}
