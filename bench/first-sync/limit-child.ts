/**
 * The limit: a bare loop that reads the same blobs from the same server, splits them, posts the same batches and stores the
 * vectors. It does nothing else: no manifest, no secret scan, no cache, no retry, no check of an answer.
 * Its argument is the JSON of `LimitJob`; it prints the JSON of `LimitResult`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChunker } from '@core/chunking';
import { pMapIterable } from 'p-map';
import { v5 as uuidOf } from 'uuid';
import {
  type LimitJob,
  type LimitResult,
  openStore,
  type Piece,
  post,
  type Store,
  type Vector,
} from './bare-store.js';

const TEXTS_PER_REQUEST = 32;
const REQUESTS = 4;
const POINTS_PER_UPSERT = 128;
const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const chunker = createChunker({ chunkSize: 7000, chunkOverlap: 1500 });
const job = JSON.parse(process.argv[2]!) as LimitJob;

async function main(): Promise<void> {
  const [store, close] = await openStore(job);
  let last: LimitResult | undefined;
  for (const url of job.repositories) last = await sync(url, store);
  await close();
  process.stdout.write(JSON.stringify(last));
}

async function sync(url: string, store: Store): Promise<LimitResult> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const directory = await mkdtemp(join(tmpdir(), 'repotide-limit-'));
  const counts = { files: 0, chunks: 0 };
  try {
    await git(directory, ['init', '--bare', '--quiet']);
    await git(directory, ['-c', 'protocol.version=2', 'fetch', '--quiet', '--depth=1', url, 'HEAD']);
    const texts = batchesOf(piecesOf(directory, counts), TEXTS_PER_REQUEST);
    const embedded = pMapIterable(texts, embed, { concurrency: REQUESTS });
    const groups = batchesOf(flat(embedded), POINTS_PER_UPSERT);
    const stored = pMapIterable(groups, storeGroup(store), { concurrency: 2 });
    for await (const count of stored) counts.chunks += count;
  } finally {
    await rm(directory, { recursive: true });
  }
  const used = process.cpuUsage(cpu);
  return {
    ...counts,
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  };
}

function storeGroup(store: Store) {
  return async (group: [Piece, Vector][]): Promise<number> => {
    await store(
      group.map(([piece]) => piece),
      group.map(([, vector]) => vector),
    );
    return group.length;
  };
}

async function* piecesOf(directory: string, counts: { files: number }): AsyncGenerator<Piece> {
  const listed = (await git(directory, ['ls-tree', '-r', '-z', 'FETCH_HEAD'])).split('\0').filter(Boolean);
  const entries = listed.map((line) => ({ sha: line.split(/[ \t]/)[2]!, path: line.split('\t')[1]! }));
  const child = spawn('git', ['cat-file', '--batch', '--buffer'], { cwd: directory });
  child.stdin.end(entries.map(({ sha }) => `${sha}\n`).join(''));
  let rest: Buffer = Buffer.alloc(0);
  let next = 0;
  for await (const part of child.stdout as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let at = 0;
    for (;;) {
      const line = rest.indexOf(10, at);
      if (line < 0) break;
      const size = Number(rest.toString('latin1', at, line).split(' ')[2]);
      if (rest.length < line + 1 + size + 1) break;
      const { path } = entries[next++]!;
      counts.files++;
      for (const { text, index } of chunker.split(rest.toString('utf8', line + 1, line + 1 + size), path))
        yield { id: uuidOf(`${directory}:${path}:${index}`, NAMESPACE), path, text };
      at = line + size + 2;
    }
    rest = rest.subarray(at);
  }
}

async function* batchesOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* flat<T>(batches: AsyncIterable<T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

async function embed(pieces: Piece[]): Promise<[Piece, Vector][]> {
  const answer = await post(`${job.embeddingUrl}/embeddings`, 'POST', {
    model: job.model,
    input: pieces.map(({ text }) => text),
  });
  const { data } = (await answer.json()) as { data: { embedding: Vector }[] };
  return pieces.map((piece, index) => [piece, data[index]!.embedding]);
}

async function git(directory: string, args: readonly string[]): Promise<string> {
  const child = spawn('git', [...args], { cwd: directory });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
  child.stderr.pipe(process.stderr);
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
  return output;
}

await main();
