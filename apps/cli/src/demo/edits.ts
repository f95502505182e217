import { randomInt } from 'node:crypto';
import { extname } from 'node:path/posix';
import { type GitRepository } from '@devkit';
import { RepotideError, type ManifestEntry } from '@core/domain';

const SYLLABLES = ['ba', 'dor', 'fi', 'gul', 'ka', 'lem', 'mo', 'nir', 'pa', 'rud', 'so', 'tiv', 'vu', 'zel'];

/** Enough words to outweigh the other words of a chunk in the lexical embedder. */
const INVENTED_WORDS = 60;

/** Random words that no repository contains: a search that finds them proves that the edit is indexed. */
function inventWords(): string {
  const word = (): string => Array.from({ length: 4 }, () => SYLLABLES[randomInt(SYLLABLES.length)]).join('');
  return Array.from({ length: INVENTED_WORDS }, word).join(' ');
}

export interface Edits {
  /** A line that only the edited file contains. */
  marker: string;
  edited: string;
  renamed: { from: string; to: string };
  deleted: string;
}

/**
 * Edits one file, renames one and deletes one, in one commit.
 * @param files the indexed files; small text files are chosen from them.
 */
export async function editRepository(
  repository: GitRepository,
  files: readonly ManifestEntry[],
): Promise<Edits> {
  const [edited, from, deleted] = choose(files);
  const to = `moved-by-the-demo/${from.split('/').at(-1)}`;
  const marker = inventWords();
  const content = await repository.git('show', `HEAD:${edited}`);
  repository.write(edited, `${content}\n\n${asComment(edited, marker)}\n`);
  repository.rename(from, to);
  repository.delete(deleted);
  await repository.commit('Edit one file, rename one, delete one');
  return { marker, edited, renamed: { from, to }, deleted };
}

const CODE_FIRST = [
  'typescript',
  'javascript',
  'python',
  'go',
  'java',
  'rust',
  'ruby',
  'php',
  'c',
  'cpp',
  'csharp',
];

/** Whether there are enough files: one to edit, one to rename and one to delete. */
export function isEditable(files: readonly ManifestEntry[]): boolean {
  return candidates(files).length >= 3;
}

/** Adds three small files to a repository that has too few for the demo. */
export async function addFiles(repository: GitRepository): Promise<void> {
  for (const name of ['first', 'second', 'third']) {
    repository.write(`added-by-the-demo/${name}.md`, `# The ${name} file\n\nIt holds ${inventWords()}.\n`);
  }
  await repository.commit('Add three files');
}

function choose(files: readonly ManifestEntry[]): [string, string, string] {
  const [edited, renamed, deleted] = candidates(files);
  if (edited === undefined || renamed === undefined || deleted === undefined) {
    throw new RepotideError('internal', 'repository_too_small', 'Expected at least three indexed files.');
  }
  return [edited, renamed, deleted];
}

/** Paths of indexed files, source code and small ones first. */
function candidates(files: readonly ManifestEntry[]): string[] {
  const seen = new Map<string, number>();
  for (const { blobSha } of files) seen.set(blobSha, (seen.get(blobSha) ?? 0) + 1);
  // With a duplicate file, the rename would count as a copy, and the numbers would be hard to follow.
  const unique = files.filter((file) => file.chunkCount > 0 && seen.get(file.blobSha) === 1);
  const ranked = unique.toSorted(
    (left, right) => rank(left) - rank(right) || left.path.localeCompare(right.path),
  );
  return ranked.map((file) => file.path);
}

function rank(file: ManifestEntry): number {
  const language = CODE_FIRST.indexOf(file.language ?? '');
  return (language < 0 ? CODE_FIRST.length : language) * 10 + Math.min(file.chunkCount, 9);
}

const HASH_COMMENTS = ['.py', '.rb', '.sh', '.yaml', '.yml', '.toml'];

function asComment(path: string, text: string): string {
  const extension = extname(path);
  if (HASH_COMMENTS.includes(extension)) return `# ${text}`;
  return extension === '.md' ? text : `// ${text}`;
}
