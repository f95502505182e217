import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Folders whose subfolders ARCHITECTURE.md lists one by one. */
const MAPPED = ['apps', 'apps/server/src', 'libs', 'libs/core', 'libs/adapters', 'libs/platform', 'test'];

async function pages(): Promise<{ page: string; text: string }[]> {
  const inDocs = await readdir(join(ROOT, 'docs'), { recursive: true });
  const all = [...(await readdir(ROOT)), ...inDocs.map((path) => `docs/${path}`)];
  const names = all.filter((path) => path.endsWith('.md'));
  return Promise.all(names.map(async (page) => ({ page, text: await readFile(join(ROOT, page), 'utf8') })));
}

function allMatches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found]) => found!);
}

/** Subfolders that contain TypeScript files. Empty folders and build output do not count. */
async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  const code = entries.filter((path) => path.includes('/') && path.endsWith('.ts'));
  return [...new Set(code.map((path) => path.split('/', 1)[0]!))];
}

describe('the documentation', () => {
  it('names only files that exist', async () => {
    const missing = (await pages()).flatMap(({ page, text }) => {
      const links = allMatches(text, /\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g).map((link) =>
        relative(ROOT, join(ROOT, dirname(page), link)),
      );
      const paths = allMatches(text, /`((?:apps|libs|test|docs|deploy|bench)\/[\w./-]+)`/g);
      return [...links, ...paths].filter((path) => !existsSync(join(ROOT, path))).map((path) => [page, path]);
    });
    expect(missing).toEqual([]);
  });

  it('names only npm scripts that exist', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const unknown = (await pages()).flatMap(({ page, text }) =>
      allMatches(text, /npm run ([\w:-]+)/g)
        .filter((name) => !(name in scripts))
        .map((name) => [page, name]),
    );
    expect(unknown).toEqual([]);
  });

  it('gives a reason for every dependency, and for no other', async () => {
    const lists = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>;
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
    const installed = kinds.flatMap((kind) => Object.keys(lists[kind]!));
    const page = await readFile(join(ROOT, 'docs/dependencies.md'), 'utf8');
    const firstCells = allMatches(page, /^\| (`.*?) +\|/gm);
    const explained = firstCells.flatMap((cell) => allMatches(cell, /`([^`]+)`/g));
    expect(explained.sort()).toEqual(installed.sort());
  });

  it.each(MAPPED)('shows every folder of %s in ARCHITECTURE.md', async (folder) => {
    const text = await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const [, map] = /^## The map\n+```\n(.*?)^```/ms.exec(text)!;
    const found = await foldersIn(folder);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((name) => !map!.includes(`${name}/`))).toEqual([]);
  });
});
