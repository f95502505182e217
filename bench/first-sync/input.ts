import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGitRepository, type GitRepository, type TreeEdit } from '@devkit';

/** Real source files that every checkout has: those of the installed packages, whose versions are pinned. */
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const SOURCES = ['.ts', '.js', '.mjs', '.cjs'];
const MIN_BYTES = 2_000;
const MAX_BYTES = 150_000;
const MIN_LINES = 20;
const FILES_PER_FOLDER = 100;
/** Its multiples, modulo any number of paths, are each path once. */
const LARGE_PRIME = 15_485_863;

export interface Input {
  git: GitRepository;
  files: number;
  bytes: number;
}

/** A repository of real source files, each of them once. @param skipped leaves out the first ones. */
export async function realFiles(directory: string, files: number, skipped = 0): Promise<Input> {
  const git = await createGitRepository(directory, { bare: true });
  const contents: Buffer[] = [];
  const seen = new Set<string>();
  const paths = (await readdir(PACKAGES, { recursive: true })).filter(isSource).toSorted();
  for (let index = 0; index < paths.length && contents.length < files + skipped; index++) {
    // Spread over all packages.
    const path = paths[(index * LARGE_PRIME) % paths.length]!;
    const content = await readFile(join(PACKAGES, path)).catch(() => null);
    if (content === null || !isOrdinary(content)) continue;
    const text = content.toString('utf8');
    if (seen.has(text)) continue;
    seen.add(text);
    contents.push(content);
  }
  const used = contents.slice(skipped);
  await git.commitEdits(edits(used), 'Add real files');
  return { git, files: used.length, bytes: used.reduce((sum, { length }) => sum + length, 0) };
}

function* edits(contents: readonly Buffer[]): Generator<TreeEdit> {
  for (const [index, content] of contents.entries()) {
    const path = `src/part${Math.floor(index / FILES_PER_FOLDER)}/file${index}.ts`;
    yield { kind: 'put', path, mode: '100644', content };
  }
}

function isSource(path: string): boolean {
  return SOURCES.includes(extname(path)) && !path.includes('.min.');
}

/** Neither tiny nor generated, so that no rule leaves it out. */
function isOrdinary(content: Buffer): boolean {
  if (content.length < MIN_BYTES || content.length > MAX_BYTES) return false;
  const lines = content.toString('utf8').split('\n');
  return lines.length >= MIN_LINES && lines.every(({ length }) => length < 500);
}
