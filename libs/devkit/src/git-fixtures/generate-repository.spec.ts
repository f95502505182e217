import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { listTree } from '../git/tree.js';
import { generateRepository } from './generate-repository.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devkit-generate-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('generateRepository', () => {
  it('creates exactly the requested number of files and bytes, in several languages', async () => {
    const { repository } = await generateRepository(join(folder, 'a'), {
      files: 300,
      totalBytes: 1_000_000,
      seed: 7,
    });
    const lines = (await repository.git('ls-tree', '-r', '-l', 'HEAD')).split('\n');
    const sizes = lines.map((line) => Number(line.split(/\s+/)[3]));
    expect(sizes).toHaveLength(300);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000_000);
    const tree = await listTree(repository.directory, 'HEAD');
    expect(new Set(tree.map(({ path }) => extname(path))).size).toBeGreaterThan(5);
    expect(new Set(tree.map(({ sha }) => sha)).size).toBe(300);
  });

  it('creates equal repositories from equal seeds', async () => {
    const make = async (name: string, seed: number) =>
      (await generateRepository(join(folder, name), { files: 20, totalBytes: 50_000, seed })).commit;
    const first = await make('one', 1);
    expect(await make('again', 1)).toBe(first);
    expect(await make('other', 2)).not.toBe(first);
  });

  it('refuses more files than bytes', async () => {
    const made = generateRepository(join(folder, 'a'), { files: 10, totalBytes: 5, seed: 1 });
    await expect(made).rejects.toThrow('10 files do not fit into 5 bytes');
  });
});
