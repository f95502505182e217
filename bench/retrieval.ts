import { metricsOf, type Metrics } from '@core/search';
import { corpusOf } from './retrieval/corpus.js';
import { measuredEmbedders } from './retrieval/embedders.js';
import { indexOf, search, vectorsOf, type Mode } from './retrieval/index-of.js';
import { questionsOf, type Question, type QuestionKind } from './retrieval/questions.js';
import { atLeast, type Benchmark, type Goal } from './run/report.js';

const MODES: readonly Mode[] = ['dense', 'lexical', 'hybrid'];
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
    'Names that one file declares, and first sentences of comments, which are cut out of the sources before; found by TypeScript’s parser in packages that were not used for the weights. The answer is the file. Embedded with the built-in embedder, and with the model at EMBEDDING_URL if it is set (EMBEDDING_MODEL), in chunks that fit the model.',
  limits:
    'The built-in embedder counts words, so that its lane adds little to the lexical one for questions. What a trained model adds is measured only with EMBEDDING_URL.',
  async run({ isQuick, progress }) {
    const corpus = corpusOf('heldOut', isQuick ? 8 : 45);
    const { questions, files } = questionsOf(corpus, isQuick ? 40 : 300);
    const results: Result[] = [];
    const queries = questions.map(({ query }) => query);
    for (const { name, weights, embedder, chunkings } of await measuredEmbedders()) {
      for (const chunking of chunkings) {
        progress(`${name}, chunks of ${chunking.chunkSize}`);
        const index = await indexOf(files, chunking, embedder);
        const vectors = await vectorsOf(embedder, queries, 'query');
        for (const mode of MODES) {
          const ranks = questions.map((question, at) =>
            rankIn(search(index, mode, question.query, vectors[at]!, weights), question),
          );
          for (const kind of ['identifier', 'question'] as const) {
            const own = ranks.filter((_, at) => questions[at]!.kind === kind);
            const chunks = `${chunking.chunkSize}/${chunking.chunkOverlap}`;
            results.push({ embedder: name, chunks, mode, kind, ...metricsOf(own) });
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
  const of = (kind: QuestionKind, chunks: string, mode: Mode = 'hybrid') =>
    results.find(
      (each) =>
        each.embedder === BUILT_IN &&
        each.kind === kind &&
        each.chunks.startsWith(chunks) &&
        each.mode === mode,
    )!;
  const served = results.filter(({ embedder, kind }) => embedder !== BUILT_IN && kind === 'question');
  return [
    atLeast('identifiers, recall@1, 1500', 0.95, of('identifier', '1500').recall1),
    atLeast('identifiers, recall@5, 1500', 1, of('identifier', '1500').recall5),
    atLeast('identifiers, recall@1, 7000', 0.9, of('identifier', '7000').recall1),
    atLeast('identifiers, recall@5, 7000', 0.975, of('identifier', '7000').recall5),
    atLeast('questions, recall@5, 1500', 0.55, of('question', '1500').recall5),
    aboveLanes(
      'questions',
      MODES.map((mode) => of('question', '1500', mode)),
    ),
    ...(served.length === 0 ? [] : servedGoals(served)),
  ];
}

/** The last chunking is the default of the product, as far as the model takes it. */
function servedGoals(questions: readonly Result[]): Goal[] {
  const chunks = questions.at(-1)!.chunks;
  const own = questions.filter((each) => each.chunks === chunks);
  const { embedder, recall1, recall5 } = own.find(({ mode }) => mode === 'hybrid')!;
  const about = `questions, ${embedder}, ${chunks}`;
  return [
    atLeast(`${about}, recall@1`, 0.5, recall1),
    atLeast(`${about}, recall@5`, 0.8, recall5),
    aboveLanes(about, own),
  ];
}

function aboveLanes(about: string, results: readonly Result[]): Goal {
  const found = (isHybrid: boolean) =>
    Math.max(...results.filter(({ mode }) => (mode === 'hybrid') === isHybrid).map(({ ndcg10 }) => ndcg10));
  return atLeast(`${about}, nDCG@10 of hybrid above the better lane`, 0.05, found(true) - found(false));
}
