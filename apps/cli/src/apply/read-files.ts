import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type z } from 'zod';
import { usageFailure } from '../failure.js';
import { isMap, isSeq, LineCounter, parseAllDocuments, type Document } from '../yaml.js';
import { DeclarationFile } from './schema.js';

/** One resource of the files, and where it begins. */
export interface Placed<Fields> {
  fields: Fields;
  /** `file:line`. */
  place: string;
  /** The folder of its file, to which paths in it are relative. */
  folder: string;
}

type File = z.output<typeof DeclarationFile>;
type List = keyof File;
export type Declaration = { [Name in List]-?: Placed<NonNullable<File[Name]>[number]>[] };

/**
 * Reads a file, or all `.yaml` and `.yml` files below a directory.
 * @throws CommandFailure that lists every error with file, line and field.
 */
export async function readDeclaration(path: string): Promise<Declaration> {
  const declaration: Declaration = { credentials: [], repositories: [], discoveries: [] };
  const errors: string[] = [];
  for (const file of await filesBelow(path)) {
    const lines = new LineCounter();
    const documents = parseAllDocuments(await readFile(file, 'utf8'), { lineCounter: lines });
    for (const document of documents) addDocument({ document, lines, file }, declaration, errors);
  }
  if (errors.length > 0) throw usageFailure('declaration_invalid', `\n  ${errors.join('\n  ')}\n `);
  return declaration;
}

async function filesBelow(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw usageFailure('file_unreadable', `Cannot read ${path}: ${error.code ?? error.message}.`);
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true });
  // A mounted ConfigMap has its files twice: once below a hidden folder.
  const isWanted = (name: string): boolean => /\.ya?ml$/.test(name) && !/(^|\/)\./.test(name);
  return entries
    .filter(isWanted)
    .sort()
    .map((name) => join(path, name));
}

interface Parsed {
  document: Document;
  lines: LineCounter;
  file: string;
}

function addDocument(parsed: Parsed, declaration: Declaration, errors: string[]): void {
  const { document, lines, file } = parsed;
  for (const error of document.errors) {
    const { line } = lines.linePos(error.pos[0]);
    errors.push(`${file}:${line}: ${error.message.split('\n', 1)[0]?.replace(/ at line .*$/, '')}`);
  }
  const content: unknown = document.toJS();
  if (document.errors.length > 0 || content === null || content === undefined) return;
  const result = DeclarationFile.safeParse(content);
  for (const issue of result.error?.issues ?? []) errors.push(...messagesOf(issue, parsed));
  if (!result.data) return;
  for (const list of Object.keys(declaration) as List[]) {
    const placed = (result.data[list] ?? []).map((fields, index) => ({
      fields,
      place: placeOf([list, index], parsed),
      folder: dirname(file),
    }));
    (declaration[list] as Placed<unknown>[]).push(...placed);
  }
}

function messagesOf(issue: z.core.$ZodIssue, parsed: Parsed): string[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) => `${placeOf([...path, key], parsed)}: ${nameOf([...path, key])} is not a field here.`,
    );
  return [`${placeOf(path, parsed)}: ${nameOf(path)}: ${issue.message}.`];
}

/** `repositories[0].chunk_size` */
function nameOf(path: readonly (string | number)[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
  return parts.join('').replace(/^\./, '') || 'the document';
}

/** File and line of the innermost part of the path that exists. */
function placeOf(path: readonly (string | number)[], { document, lines, file }: Parsed): string {
  for (let length = path.length; length > 0; length--) {
    const offset = offsetOf(document, path.slice(0, length));
    if (offset !== null) return `${file}:${lines.linePos(offset).line}`;
  }
  return `${file}:1`;
}

/** Where a field's name, or an item of a list, begins. */
function offsetOf(document: Document, path: readonly (string | number)[]): number | null {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => String(key) === last);
    return (pair?.key as { range?: [number] } | undefined)?.range?.[0] ?? null;
  }
  if (!isSeq(parent) || typeof last !== 'number') return null;
  return (parent.items[last] as { range?: [number] } | undefined)?.range?.[0] ?? null;
}
