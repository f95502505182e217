import { createEmbeddedVectorStore } from '@adapters/postgres';
import { createLexicalEmbedder } from '@adapters/embedding';
import { createChunker } from '@core/chunking';
import { GenerationStore, type Point, type Repository, VectorStore } from '@core/domain';
import { termsOf } from '@core/search';
import { activeGeneration } from '../test/support/active-generation.js';
import { startTestApi, type TestApi } from '../test/support/api-app.js';
import { startTestServer } from '../test/support/test-server.js';
import { corpusOf, type SourceFile } from './retrieval/corpus.js';
import { vectorsOf } from './retrieval/index-of.js';
import { questionsOf } from './retrieval/questions.js';
import { atMost, type Benchmark, type Cell } from './run/report.js';

const QUERIES = 100;
const ROUNDS_BEFORE = 5;
const GOAL_MS = 50;
const never = new AbortController().signal;

interface Kind {
  name: string;
  bodies: object[];
}

export const search: Benchmark = {
  title: 'Searches of the embedded store',
  explains:
    'Requests to POST /api/v1/search one after the other, over HTTP, with real PostgreSQL and the built-in embedder, so with everything but the time of an embedding server. The points are chunks (1500/300) of installed packages, repeated under other paths. Each query is new to the service.',
  limits:
    'By meaning and by words: the comparison of all vectors and term lists in memory, by one thread. Exact: the reading of texts that may match; the first search of a process reads all. Qdrant was not measured, because no real one was there.',
  async run({ isQuick, progress }) {
    const sizes = isQuick ? [10_000] : [10_000, 100_000];
    const files = [...corpusOf('tuning', 40), ...corpusOf('heldOut', 40)];
    const rows: Cell[][] = [];
    const stop = await startTestServer(process.env);
    try {
      for (const size of sizes) rows.push(...(await measure(size, files, progress)));
    } finally {
      await stop();
    }
    const found = (kind: string) => Number(rows.findLast(([, name]) => name === kind)?.[4]);
    const size = sizes.at(-1)!.toLocaleString('en');
    return {
      input: `${sizes.map((each) => each.toLocaleString('en')).join(' and ')} chunks; ${QUERIES} queries of each kind`,
      tables: [
        {
          title: 'Time of a request, in milliseconds',
          columns: [
            ...[
              { title: 'chunks' },
              { title: 'query' },
              { title: 'p50', digits: 1 },
              { title: 'p90', digits: 1 },
            ],
            ...[
              { title: 'p95', digits: 1 },
              { title: 'longest', digits: 1 },
            ],
          ],
          rows,
        },
      ],
      goals: ['hybrid', 'dense', 'lexical', ...EXACT_KINDS].map((kind) =>
        atMost(`p95 of ${kind}, ${size} chunks`, GOAL_MS, found(kind), ' ms'),
      ),
    };
  },
};

const EXACT_KINDS = [
  'exact: a call',
  'exact: part of a name',
  'exact: regular expression',
  'exact: not there',
];

async function measure(
  size: number,
  files: SourceFile[],
  progress: (what: string) => void,
): Promise<Cell[][]> {
  const api = await startTestApi({
    env: { API_RATE_LIMIT_PER_MINUTE: '0' },
    vectorStore: (database, logger) => createEmbeddedVectorStore(database, { logger }),
  });
  try {
    const repository = await api.register({ projectPath: 'bench/packages', collectionName: 'bench' });
    await fill(api, repository, files, size, progress);
    const rows: Cell[][] = [];
    for (const { name, bodies } of kindsOf(files)) {
      progress(`${size.toLocaleString('en')} chunks, ${name}`);
      const times = await timesOf(api, bodies);
      const at = (share: number) => times[Math.floor(share * (times.length - 1))]!;
      rows.push([size, name, at(0.5), at(0.9), at(0.95), at(1)]);
    }
    return rows;
  } finally {
    await api.stop();
  }
}

async function fill(
  api: TestApi,
  { id: repositoryId, projectPath, branch, collectionName }: Repository,
  files: SourceFile[],
  size: number,
  progress: (what: string) => void,
): Promise<void> {
  const chunker = createChunker({ chunkSize: 1500, chunkOverlap: 300 });
  const chunks = files.flatMap(({ path, text }) =>
    chunker.split(text, path).map((chunk) => ({ path, chunk })),
  );
  const vectors = await vectorsOf(
    createLexicalEmbedder(),
    chunks.map(({ chunk }) => chunk.text),
    'document',
  );
  const generation = await activeGeneration(api.get(GenerationStore), collectionName);
  const { physicalName: name, modelId, dimensions } = generation;
  const store = api.get(VectorStore);
  await store.ensureCollection({ name, modelId, dimensions }, never);
  let batch: Point[] = [];
  for (let point = 0; point < size; point++) {
    const { path: original, chunk } = chunks[point % chunks.length]!;
    const path = `copy${Math.floor(point / chunks.length)}/${original}`;
    const folders = path.split('/').slice(0, -1);
    const payload = {
      ...{ repository_id: repositoryId, project_path: projectPath, branch, path, language: 'typescript' },
      directories: folders.map((_, depth) => folders.slice(0, depth + 1).join('/')),
      ...{ chunk_index: chunk.index, start_line: chunk.startLine, end_line: chunk.endLine, text: chunk.text },
      ...{ blob_sha: 'b'.repeat(40), file_version: 'v1', commit: 'c'.repeat(40), fence: 1 },
      content_hash: point.toString(16).padStart(64, '0'),
    };
    const id = `00000000-0000-4000-8000-${point.toString(16).padStart(12, '0')}`;
    batch.push({ id, vector: vectors[point % chunks.length]!, terms: termsOf(payload), payload });
    if (batch.length < 1_000 && point < size - 1) continue;
    await store.upsert(name, batch, never);
    batch = [];
    if (point % 10_000 === 9_999) progress(`${(point + 1).toLocaleString('en')} chunks stored`);
  }
}

/** Half of the queries are names, half are sentences of comments. */
function kindsOf(files: SourceFile[]): Kind[] {
  const { questions } = questionsOf(files, QUERIES / 2);
  const names = questionsOf(files, QUERIES)
    .questions.filter(({ kind }) => kind === 'identifier')
    .map(({ query }) => query);
  const exact = (query: string, more: object = {}) => ({ mode: 'exact', query, ...more });
  const ranked = (mode: string) => questions.map(({ query }) => ({ query, mode }));
  const bodies = [
    names.map((name) => exact(`${name}(`)),
    names.map((name) => exact(name.slice(1, -1))),
    names.map((name) => exact(`\\b${name}\\s*[(=:]`, { regex: true })),
    names.map((name) => exact(`${name}NotThere`)),
  ];
  return [
    ...['hybrid', 'dense', 'lexical'].map((mode) => ({ name: mode, bodies: ranked(mode) })),
    ...EXACT_KINDS.map((name, index) => ({ name, bodies: bodies[index]! })),
  ];
}

/** Ascending. The first requests make lists in memory and compile code. */
async function timesOf(api: TestApi, bodies: readonly object[]): Promise<number[]> {
  const headers = { authorization: api.authorization('viewer'), 'content-type': 'application/json' };
  const times: number[] = [];
  for (const [at, body] of bodies.entries()) {
    const began = performance.now();
    const answer = await fetch(`${api.url}/api/v1/search`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`A search answered ${answer.status}: ${text}`);
    if (at >= ROUNDS_BEFORE) times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
}
