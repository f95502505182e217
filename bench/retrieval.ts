import { createLexicalEmbedder } from '@adapters/embedding';
import { metricsOf, type Metrics } from '@core/search';
import { corpusOf } from './retrieval/corpus.js';
import {
  embedAt,
  embedWith,
  indexOf,
  search,
  type Chunking,
  type Embed,
  type Mode,
} from './retrieval/index-of.js';
import { questionsOf, type Question, type QuestionKind } from './retrieval/questions.js';
import { atLeast, type Benchmark, type Goal } from './run/report.js';

const MODES: readonly Mode[] = ['dense', 'lexical', 'hybrid'];
const CHUNKINGS: readonly Chunking[] = [
  { chunkSize: 1500, chunkOverlap: 300 },
  { chunkSize: 7000, chunkOverlap: 1500 },
];
const BUILT_IN = 'built-in';

interface Result extends Metrics {
  embedder: string;
  chunks: string;
  mode: Mode;
  kind: QuestionKind;
}

export const retrieval: Benchmark = {
  title: 'What a search finds',
  explains:
    'Names that one file declares, and first sentences of comments, which are cut out of the sources before; found by TypeScript’s parser in packages that were not used for the weights. The answer is the file. Embedded with the built-in embedder, and with the model at EMBEDDING_URL if it is set (EMBEDDING_MODEL).',
  limits:
    'The built-in embedder counts words, so that its lane adds little to the lexical one for questions. What a trained model adds is measured only with EMBEDDING_URL.',
  async run({ isQuick, progress }) {
    const corpus = corpusOf('heldOut', isQuick ? 8 : 45);
    const { questions, files } = questionsOf(corpus, isQuick ? 40 : 300);
    const results: Result[] = [];
    for (const [embedder, embed] of embedders()) {
      for (const chunking of CHUNKINGS) {
        progress(`${embedder}, chunks of ${chunking.chunkSize}`);
        const index = await indexOf(files, chunking, embed);
        const vectors = await embed(
          questions.map(({ query }) => query),
          'query',
        );
        for (const mode of MODES) {
          const ranks = questions.map((question, at) => {
            const weights = embedder === BUILT_IN ? 'built-in' : 'trained';
            return rankIn(search(index, mode, question.query, vectors[at]!, weights), question);
          });
          for (const kind of ['identifier', 'question'] as const) {
            const own = ranks.filter((_, at) => questions[at]!.kind === kind);
            const chunks = `${chunking.chunkSize}/${chunking.chunkOverlap}`;
            results.push({ embedder, chunks, mode, kind, ...metricsOf(own) });
          }
        }
      }
    }
    const count = (kind: QuestionKind) => questions.filter((question) => question.kind === kind).length;
    return {
      input: `${files.length} files, ${count('identifier')} identifiers, ${count('question')} questions`,
      tables: (['identifier', 'question'] as const).map((kind) => tableOf(kind, results)),
      goals: goalsOf(results),
    };
  },
};

function embedders(): Map<string, Embed> {
  const all = new Map([[BUILT_IN, embedWith(createLexicalEmbedder())]]);
  const { EMBEDDING_URL: url, EMBEDDING_MODEL: model = 'all-MiniLM-L6-v2' } = process.env;
  if (url) all.set(model, embedAt(url, model));
  return all;
}

function rankIn(paths: readonly string[], { answers }: Question): number | null {
  const place = paths.findIndex((path) => answers.includes(path));
  return place === -1 ? null : place + 1;
}

function tableOf(kind: QuestionKind, results: readonly Result[]) {
  const figures = ['recall@1', 'recall@3', 'recall@5', 'recall@10', 'MRR', 'nDCG@10'];
  return {
    title: kind === 'identifier' ? 'Identifiers' : 'Questions',
    columns: [
      ...[{ title: 'embedder' }, { title: 'chunks' }, { title: 'mode' }],
      ...figures.map((title) => ({ title, digits: 3 })),
    ],
    rows: results
      .filter((result) => result.kind === kind)
      .map((each) => [
        ...[each.embedder, each.chunks, each.mode],
        ...[each.recall1, each.recall3, each.recall5, each.recall10, each.mrr, each.ndcg10],
      ]),
  };
}

function goalsOf(results: readonly Result[]): Goal[] {
  const built = results.filter(({ embedder }) => embedder === BUILT_IN);
  const of = (kind: QuestionKind, chunks: string, mode: Mode = 'hybrid') =>
    built.find((each) => each.kind === kind && each.chunks.startsWith(chunks) && each.mode === mode)!;
  const better = Math.max(of('question', '1500', 'dense').ndcg10, of('question', '1500', 'lexical').ndcg10);
  return [
    atLeast('identifiers, recall@1, 1500', 0.95, of('identifier', '1500').recall1),
    atLeast('identifiers, recall@5, 1500', 1, of('identifier', '1500').recall5),
    atLeast('identifiers, recall@1, 7000', 0.9, of('identifier', '7000').recall1),
    atLeast('identifiers, recall@5, 7000', 0.975, of('identifier', '7000').recall5),
    atLeast('questions, recall@5, 1500', 0.55, of('question', '1500').recall5),
    atLeast(
      'questions, nDCG@10 of hybrid above the better lane',
      0.05,
      of('question', '1500').ndcg10 - better,
    ),
  ];
}
