/**
 * The rival: LangChain's `index()` with a record manager in memory, over a checkout on the local disk. It splits, embeds and
 * stores like the bare loop. Its argument is the JSON of `LimitJob`; it prints the JSON of `LimitResult`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChunker } from '@core/chunking';
import { Document } from '@langchain/core/documents';
import { index, type RecordManagerInterface } from '@langchain/core/indexing';
import { VectorStore } from '@langchain/core/vectorstores';
import { OpenAIEmbeddings } from '@langchain/openai';
import { type LimitJob, type LimitResult, openStore, type Store } from './bare-store.js';

const TEXTS_PER_REQUEST = 32;
const DOCUMENTS_PER_BATCH = 512;
const chunker = createChunker({ chunkSize: 7000, chunkOverlap: 1500 });
const job = JSON.parse(process.argv[2]!) as LimitJob;

async function main(): Promise<void> {
  const [store, close] = await openStore(job);
  const embeddings = new OpenAIEmbeddings({
    model: job.model,
    apiKey: 'none',
    batchSize: TEXTS_PER_REQUEST,
    encodingFormat: 'float',
    configuration: { baseURL: job.embeddingUrl },
  });
  const vectorStore = new BareVectorStore(embeddings, store);
  let last: LimitResult | undefined;
  for (const url of job.repositories) {
    const directory = await mkdtemp(join(tmpdir(), 'repotide-langchain-'));
    try {
      execFileSync('git', ['clone', '--quiet', '--depth=1', url, directory]);
      await rm(join(directory, '.git'), { recursive: true });
      last = await indexFolder(directory, vectorStore);
    } finally {
      await rm(directory, { recursive: true });
    }
  }
  await close();
  process.stdout.write(JSON.stringify(last));
}

async function indexFolder(directory: string, vectorStore: VectorStore): Promise<LimitResult> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const documents: Document[] = [];
  let files = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    files++;
    const path = join(entry.parentPath, entry.name);
    for (const { text } of chunker.split(await readFile(path, 'utf8'), path))
      documents.push(new Document({ pageContent: text, metadata: { source: path } }));
  }
  const options = { cleanup: 'full', sourceIdKey: 'source', batchSize: DOCUMENTS_PER_BATCH } as const;
  const { numAdded } = await index({
    docsSource: documents,
    recordManager: new Records(),
    vectorStore,
    options,
  });
  const used = process.cpuUsage(cpu);
  return {
    files,
    chunks: numAdded,
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  };
}

class BareVectorStore extends VectorStore {
  declare FilterType: object;

  constructor(
    embeddings: OpenAIEmbeddings,
    private readonly store: Store,
  ) {
    super(embeddings, {});
  }

  _vectorstoreType(): string {
    return 'bare';
  }

  async addDocuments(documents: Document[], options?: { ids?: string[] }): Promise<string[]> {
    const vectors = await this.embeddings.embedDocuments(documents.map(({ pageContent }) => pageContent));
    await this.addVectors(vectors, documents, options);
    return options?.ids ?? [];
  }

  async addVectors(vectors: number[][], documents: Document[], options?: { ids?: string[] }): Promise<void> {
    const pieces = documents.map(({ pageContent, metadata }, at) => ({
      ...{ id: options!.ids![at]!, path: String(metadata['source']), text: pageContent },
    }));
    await this.store(pieces, vectors);
  }

  override delete(): Promise<void> {
    return Promise.resolve();
  }

  similaritySearchVectorWithScore(): Promise<[]> {
    return Promise.resolve([]);
  }
}

/** Faster than the record managers that LangChain offers, which keep their rows in a database. */
class Records implements RecordManagerInterface {
  private readonly updatedAt = new Map<string, number>();

  createSchema = () => Promise.resolve();
  getTime = () => Promise.resolve(Date.now());
  exists = (keys: string[]) => Promise.resolve(keys.map((key) => this.updatedAt.has(key)));

  update(keys: string[]): Promise<void> {
    for (const key of keys) this.updatedAt.set(key, Date.now());
    return Promise.resolve();
  }

  listKeys({ before = Infinity, limit }: { before?: number; limit?: number }): Promise<string[]> {
    const found = [...this.updatedAt].filter(([, at]) => at < before).map(([key]) => key);
    return Promise.resolve(found.slice(0, limit));
  }

  deleteKeys(keys: string[]): Promise<void> {
    for (const key of keys) this.updatedAt.delete(key);
    return Promise.resolve();
  }
}

await main();
