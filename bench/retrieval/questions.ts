import { createHash } from 'node:crypto';
import ts from 'typescript';
import { type SourceFile } from './corpus.js';

export type QuestionKind = 'identifier' | 'question';

export interface Question {
  kind: QuestionKind;
  query: string;
  /** Paths of the files that answer it. */
  answers: string[];
}

interface Declaration {
  path: string;
  /** Members of a type or an object: they make a name ambiguous, but no question asks for them. */
  isMember: boolean;
  name: string;
  /** The first sentence of its comment. */
  sentence: string | null;
  /** Where the comment stands, so that it can be cut out: otherwise the answer would contain the question. */
  comment: [from: number, to: number] | null;
}

/**
 * Questions with known answers: names that one file declares and others mention, and first sentences of comments about a
 * declaration, whose comments are then cut out of the sources. Found by TypeScript's parser, not by the code under test.
 */
export function questionsOf(
  files: readonly SourceFile[],
  perKind: number,
): { questions: Question[]; files: SourceFile[] } {
  const declarations = files.flatMap(declarationsIn);
  const identifiers = identifiersIn(files, declarations).slice(0, perKind);
  const asked = sentencesIn(declarations).slice(0, perKind);
  const cut = files.map((file) => ({ ...file, text: withoutComments(file, asked) }));
  const questions = asked.map(({ sentence, path }) => ({
    kind: 'question' as const,
    query: sentence!,
    answers: [path],
  }));
  return { questions: [...identifiers, ...questions], files: cut };
}

function identifiersIn(files: readonly SourceFile[], declarations: readonly Declaration[]): Question[] {
  const declaredIn = new Map<string, Set<string>>();
  for (const { name, path } of declarations) {
    declaredIn.set(name, (declaredIn.get(name) ?? new Set()).add(path));
  }
  const sought = new Set(declarations.filter((each) => !each.isMember).map(({ name }) => name));
  const mentions = new Map<string, number>();
  for (const { text } of files) {
    for (const name of new Set(text.match(/[A-Za-z_$][\w$]*/g)))
      mentions.set(name, (mentions.get(name) ?? 0) + 1);
  }
  return [...declaredIn]
    .filter(([name]) => sought.has(name))
    .filter(([name, paths]) => name.length >= 6 && paths.size === 1 && mentions.get(name)! >= 2)
    .map(([query, paths]) => ({ kind: 'identifier' as const, query, answers: [...paths] }))
    .sort((left, right) => (orderOf(left.query) < orderOf(right.query) ? -1 : 1));
}

function sentencesIn(declarations: readonly Declaration[]): Declaration[] {
  const counts = new Map<string, number>();
  for (const { sentence } of declarations)
    if (sentence) counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  return declarations
    .filter(({ sentence }) => sentence !== null && counts.get(sentence) === 1 && isQuestion(sentence))
    .sort((left, right) => (orderOf(left.sentence!) < orderOf(right.sentence!) ? -1 : 1));
}

/** Long enough to say something, and without names or markup. */
function isQuestion(sentence: string): boolean {
  const words = sentence.split(/\s+/);
  return words.length >= 5 && words.length <= 30 && !/[{}@<>`_$]|https?:|[a-z][A-Z]/.test(sentence);
}

function withoutComments(file: SourceFile, asked: readonly Declaration[]): string {
  let { text } = file;
  const ranges = asked.filter(({ path }) => path === file.path).map(({ comment }) => comment!);
  for (const [from, to] of ranges.sort((a, b) => b[0] - a[0])) text = text.slice(0, from) + text.slice(to);
  return text;
}

function declarationsIn({ path, text }: SourceFile): Declaration[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const found: Declaration[] = [];
  const visit = (node: ts.Node, depth: number): void => {
    const name = nameOf(node, depth);
    if (name !== null) found.push({ path, name, isMember: isMember(node), ...commentOf(node, text) });
    ts.forEachChild(node, (child) => visit(child, depth + (ts.isFunctionLike(node) ? 1 : 0)));
  };
  visit(source, 0);
  return found;
}

/** Functions, classes, types, members, and values that are no variables of a function. */
function nameOf(node: ts.Node, depth: number): string | null {
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    isMember(node) ||
    (ts.isVariableDeclaration(node) && depth === 0);
  if (!isNamed || node.name === undefined || !ts.isIdentifier(node.name)) return null;
  // `const x = require('x')` declares nothing.
  if (ts.isVariableDeclaration(node) && /^(?:require\(|import\()/.test(node.initializer?.getText() ?? ''))
    return null;
  return node.name.text;
}

function isMember(
  node: ts.Node,
): node is
  | ts.PropertySignature
  | ts.PropertyDeclaration
  | ts.PropertyAssignment
  | ts.AccessorDeclaration
  | ts.MethodSignature {
  return (
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isAccessor(node) ||
    ts.isMethodSignature(node)
  );
}

function commentOf(node: ts.Node, text: string): Pick<Declaration, 'sentence' | 'comment'> {
  const range = ts
    .getLeadingCommentRanges(text, node.getFullStart())
    ?.findLast(({ pos }) => text.startsWith('/**', pos));
  if (range === undefined) return { sentence: null, comment: null };
  const body = text
    .slice(range.pos + 3, range.end - 2)
    .replace(/^\s*\* ?/gm, '')
    .split(/\n\s*@/)[0]!;
  const sentence = body
    .trim()
    .split(/(?<=[.!?])\s|\n\s*\n/)[0]!
    .replace(/\s+/g, ' ')
    .replace(/[.!?]$/, '');
  return { sentence: sentence || null, comment: [range.pos, range.end] };
}

/** A fixed order without a pattern. */
function orderOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
