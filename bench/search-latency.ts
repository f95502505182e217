// Prints how long a search of the embedded store takes in memory: `npm run bench:search -- [--points=100000]`.
// Its points are chunks of installed packages, with the built-in embedder, repeated with other vectors and weights.
import { createLexicalEmbedder } from '../libs/adapters/embedding/src/index.js';
import { CollectionMemory } from '../libs/adapters/postgres/src/embedded-vectors/memory/collection-memory.js';
import { createChunker } from '../libs/core/chunking/src/index.js';
import { queryOf, termsOf } from '../libs/core/search/src/index.js';
import { corpusOf } from './retrieval/corpus.js';
import { embedWith } from './retrieval/index-of.js';
import { questionsOf } from './retrieval/questions.js';

const points = Number(process.argv.find((each) => each.startsWith('--points='))?.split('=')[1] ?? 100_000);
const QUERIES = 100;
const embed = embedWith(createLexicalEmbedder());
const corpus = [...corpusOf('tuning', 40), ...corpusOf('heldOut', 40)];
const chunker = createChunker({ chunkSize: 1500, chunkOverlap: 300 });
const chunks = corpus.flatMap(({ path, text }) =>
  chunker.split(text, path).map((chunk) => ({ path, text: chunk.text })),
);
const vectors = await embed(
  chunks.map(({ text }) => text),
  'document',
);
const terms = chunks.map(termsOf);
const memory = new CollectionMemory(vectors[0]!.length);
for (let point = 0; point < points; point++) {
  const chunk = point % chunks.length;
  const file = {
    repositoryId: 'bench',
    path: `${chunks[chunk]!.path}${point}`,
    directories: [],
    language: null,
  };
  const vector = vectors[chunk]!.map((value) => value + (Math.random() - 0.5) / 50);
  memory.put({ id: String(point), file, vector, terms: terms[chunk]! }, '0');
}
const { questions } = questionsOf(corpus, QUERIES / 2);
const asked = await embed(
  questions.map(({ query }) => query),
  'query',
);
const limit = 100;
const lanes = {
  dense: (at: number) => memory.dense(asked[at]!, limit, {}),
  lexical: (at: number) => memory.lexical(queryOf(questions[at]!.query).terms, limit, {}),
  both: (at: number) => [lanes.dense(at), lanes.lexical(at)],
};
// The first search makes the lists of terms.
const began = process.cpuUsage();
lanes.both(0);
const first = process.cpuUsage(began).user / 1000;
const results = Object.entries(lanes).map(([lane, search]) => {
  const times = questions.map((_, at) => {
    // Time of the processor: other programs of the machine do not count.
    const start = process.cpuUsage();
    search(at);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  times.sort((a, b) => a - b);
  const at = (share: number) => Number(times[Math.floor(share * (times.length - 1))]!.toFixed(1));
  return { lane, p50_cpu_ms: at(0.5), p95_cpu_ms: at(0.95) };
});
const { rss } = process.memoryUsage();
console.log(
  JSON.stringify({
    points,
    dimensions: vectors[0]!.length,
    first_cpu_ms: Math.round(first),
    rss_mb: Math.round(rss / 1e6),
    results,
  }),
);
