// Prints how well each mode of search finds known answers: `npm run bench:retrieval -- [--quick] [--part=tuning]`.
// Embeds with the built-in embedder, and with the server at EMBEDDING_URL if it is set (EMBEDDING_MODEL).
import { createLexicalEmbedder } from '../libs/adapters/embedding/src/index.js';
import { corpusOf, type Part } from './retrieval/corpus.js';
import { embedWith, indexOf, search, type Chunking, type Embed, type Mode } from './retrieval/index-of.js';
import { metricsOf } from '../apps/cli/src/evaluate/metrics.js';
import { questionsOf, type Question } from './retrieval/questions.js';

const optionOf = (name: string) => process.argv.find((each) => each.startsWith(`--${name}=`))?.split('=')[1];
const isQuick = process.argv.includes('--quick');
const part = (optionOf('part') ?? 'heldOut') as Part;
const perPackage = Number(optionOf('files') ?? (isQuick ? 8 : 45));
const perKind = Number(optionOf('questions') ?? (isQuick ? 40 : 300));
const MODES: readonly Mode[] = ['dense', 'lexical', 'hybrid'];
const CHUNKINGS: readonly Chunking[] = [
  { chunkSize: 1500, chunkOverlap: 300 },
  { chunkSize: 7000, chunkOverlap: 1500 },
];
/** The chunk size that fits a model of 256 tokens. */
const SHORT_CHUNKING: Chunking = { chunkSize: 768, chunkOverlap: 164 };

const { questions, files } = questionsOf(corpusOf(part, perPackage), perKind);
const chunkings = optionOf('chunks') === 'short' ? [SHORT_CHUNKING] : CHUNKINGS;
const embedders = new Map<string, Embed>([['built-in', embedWith(createLexicalEmbedder())]]);
const { EMBEDDING_URL: url, EMBEDDING_MODEL: model = 'all-MiniLM-L6-v2' } = process.env;
if (url) embedders.set(model, embedAt(url, model));

const results = [];
for (const [embedder, embed] of embedders) {
  for (const chunking of chunkings) {
    const index = await indexOf(files, chunking, embed);
    const vectors = await embed(
      questions.map(({ query }) => query),
      'query',
    );
    for (const mode of MODES) {
      const ranks = questions.map((question, at) =>
        rankOf(question, search(index, mode, question.query, vectors[at]!, kindOf(embedder))),
      );
      for (const kind of ['identifier', 'question'] as const) {
        const measured = ranks.filter((_, at) => questions[at]!.kind === kind);
        const { chunkSize, chunkOverlap } = chunking;
        const setup = { embedder, chunks: `${chunkSize}/${chunkOverlap}`, mode, kind };
        results.push({ ...setup, points: index.chunks, queries: measured.length, ...metricsOf(measured) });
      }
    }
    if (process.argv.includes('--misses')) printMisses();

    function printMisses(): void {
      questions.forEach((question, at) => {
        const found = search(index, 'hybrid', question.query, vectors[at]!, kindOf(embedder));
        const rank = rankOf(question, found);
        if (rank !== 1 && question.kind === 'identifier')
          console.error(rank, question.query, question.answers.join(), found.slice(0, 3).join(' '));
      });
    }
  }
}
console.log(JSON.stringify({ part, files: files.length, results }, null, isQuick ? 0 : 1));

function kindOf(embedder: string): 'trained' | 'built-in' {
  return embedder === 'built-in' ? 'built-in' : 'trained';
}

function rankOf({ answers }: Question, paths: readonly string[]): number | null {
  const place = paths.findIndex((path) => answers.includes(path));
  return place === -1 ? null : place + 1;
}

function embedAt(base: string, name: string): Embed {
  return async (texts) => {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += 16) {
      const response = await fetch(`${base}/embeddings`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${process.env['EMBEDDING_API_KEY'] ?? ''}`,
        },
        body: JSON.stringify({ model: name, input: texts.slice(start, start + 16) }),
      });
      const { data } = (await response.json()) as { data: { embedding: number[] }[] };
      vectors.push(...data.map(({ embedding }) => Float32Array.from(embedding)));
    }
    return vectors;
  };
}
