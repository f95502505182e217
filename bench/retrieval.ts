import { metricsOf, type Metrics } from '@core/search';
import { corpusOf, type SourceFile } from './retrieval/corpus.js';
import { measuredEmbedders } from './retrieval/embedders.js';
import { indexOf, search, vectorsOf, type Mode } from './retrieval/index-of.js';
import { questionsOf, type Question, type QuestionKind } from './retrieval/questions.js';
import { writtenCorpus, writtenQuestions } from './retrieval/written.js';
import { atLeast, type Benchmark, type Goal } from './run/report.js';

const MODES: readonly Mode[] = ['dense', 'lexical', 'hybrid'];
const BUILT_IN = 'built-in';

/** Where questions come from. */
type Origin = 'comments' | 'written';

interface Result extends Metrics {
  origin: Origin;
  embedder: string;
  chunks: string;
  mode: Mode;
  kind: QuestionKind;
}

export const retrieval: Benchmark = {
  title: 'What a search finds',
  explains:
    'Names that one file declares, and questions about packages that were not used for the weights: first sentences of comments, which are cut out of the sources before, and questions that were written for the benchmark in other words than the code. The answer is the file. Embedded with the built-in embedder, and with the model at EMBEDDING_URL if it is set (EMBEDDING_MODEL), in chunks that fit the model.',
  limits:
    'The built-in embedder knows words but no sentences, so that its lane adds little to the lexical one for questions. What a trained model adds is measured only with EMBEDDING_URL.',
  async run({ isQuick, progress }) {
    const comments = questionsOf(corpusOf('heldOut', isQuick ? 8 : 45), isQuick ? 40 : 300);
    const written = { files: writtenCorpus(), questions: writtenQuestions('heldOut') };
    const results = [
      ...(await measured('comments', comments, progress)),
      ...(await measured('written', written, progress)),
    ];
    return {
      input: `${inputOf(comments)} of comments; ${inputOf(written)} that were written`,
      tables: [
        tableOf('Identifiers', results, 'comments', 'identifier'),
        tableOf('Identifiers among more files', results, 'written', 'identifier'),
        tableOf('Comments as questions', results, 'comments', 'question'),
        tableOf('Written questions', results, 'written', 'question'),
      ],
      goals: goalsOf(results),
    };
  },
};

interface Asked {
  files: readonly SourceFile[];
  questions: readonly Question[];
}

function inputOf({ files, questions }: Asked): string {
  const identifiers = questions.filter(({ kind }) => kind === 'identifier').length;
  return `${files.length} files, ${identifiers} identifiers, ${questions.length - identifiers} questions`;
}

async function measured(
  origin: Origin,
  { files, questions }: Asked,
  progress: (what: string) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const queries = questions.map(({ query }) => query);
  for (const { name, weights, embedder, chunkings } of await measuredEmbedders()) {
    for (const chunking of chunkings) {
      const chunks = `${chunking.chunkSize}/${chunking.chunkOverlap}`;
      progress(`${origin}, ${name}, chunks of ${chunks}`);
      const index = await indexOf(files, chunking, embedder);
      const vectors = await vectorsOf(embedder, queries, 'query');
      for (const mode of MODES) {
        const ranks = questions.map((question, at) =>
          rankIn(search(index, mode, question.query, vectors[at]!, weights), question),
        );
        for (const kind of ['identifier', 'question'] as const) {
          const own = ranks.filter((_, at) => questions[at]!.kind === kind);
          results.push({ origin, embedder: name, chunks, mode, kind, ...metricsOf(own) });
        }
      }
    }
  }
  return results;
}

function rankIn(paths: readonly string[], { answers }: Question): number | null {
  const place = paths.findIndex((path) => answers.includes(path));
  return place === -1 ? null : place + 1;
}

function tableOf(title: string, results: readonly Result[], origin: Origin, kind: QuestionKind) {
  const figures = ['recall@1', 'recall@3', 'recall@5', 'recall@10', 'MRR', 'nDCG@10'];
  return {
    title,
    columns: [
      ...[{ title: 'embedder' }, { title: 'chunks' }, { title: 'mode' }],
      ...figures.map((title) => ({ title, digits: 3 })),
    ],
    rows: results
      .filter((result) => result.kind === kind && result.origin === origin)
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
        each.origin === (kind === 'question' ? 'written' : 'comments') &&
        each.kind === kind &&
        each.chunks.startsWith(chunks) &&
        each.mode === mode,
    )!;
  const served = results.filter(
    ({ embedder, kind, origin }) => embedder !== BUILT_IN && kind === 'question' && origin === 'written',
  );
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
