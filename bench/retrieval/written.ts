import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf, type SourceFile } from './corpus.js';
import { type Question, type QuestionKind } from './questions.js';

/** The weights of the search were chosen with one half; the other one was only measured. */
export type Half = 'tuning' | 'heldOut';

type WrittenQuestion = Omit<Question, 'kind'>;

interface WrittenHalf {
  packages: { folder: string; version: string }[];
  questions: WrittenQuestion[];
  identifiers: WrittenQuestion[];
}

const WRITTEN = JSON.parse(
  readFileSync(new URL('./written-questions.json', import.meta.url), 'utf8'),
) as Record<Half, WrittenHalf>;
/** Tables, generated code and copies, which no question is about. */
const LEFT_OUT = /\/(?:llhttp|webidl|mock|himport|esm)\//;

/** @throws when another version is installed than the one that the questions were written about. */
export function writtenCorpus(): SourceFile[] {
  return Object.values(WRITTEN).flatMap(({ packages }) => packages.flatMap(filesOfVersion));
}

export function writtenQuestions(half: Half): Question[] {
  const { questions, identifiers } = WRITTEN[half];
  const ofKind = (kind: QuestionKind) => (question: WrittenQuestion) => ({ kind, ...question });
  return [...identifiers.map(ofKind('identifier')), ...questions.map(ofKind('question'))];
}

function filesOfVersion({ folder, version }: WrittenHalf['packages'][number]): SourceFile[] {
  const description = readFileSync(join('node_modules', packageOf(folder), 'package.json'), 'utf8');
  const installed = (JSON.parse(description) as { version: string }).version;
  if (installed !== version)
    throw new Error(
      `The questions are about ${folder} of version ${version}, but ${installed} is installed. Check their answers, and set the version in bench/retrieval/written-questions.json.`,
    );
  return filesOf(folder).filter(({ path }) => !LEFT_OUT.test(path));
}

function packageOf(folder: string): string {
  const names = folder.split('/');
  return names.slice(0, folder.startsWith('@') ? 2 : 1).join('/');
}
