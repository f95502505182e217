import { ExecutionArchive } from '@adapters/postgres';
import {
  type Folder,
  type ManifestEntry,
  type RunIdentity,
  type StoredEntry,
  zeroCounters,
} from '@core/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addRepository, allEntries, indexedFile, openStores, startRun, type Stores } from './fixtures.js';

const counters = zeroCounters();
const everything = { limit: 10_000, offset: 0 };

let stores: Stores;
let run: RunIdentity;
beforeAll(async () => {
  stores = await openStores();
});
beforeEach(async () => {
  run = await startRun(stores, (await addRepository(stores)).id);
});
afterAll(() => stores.close());

function put(...upserts: ManifestEntry[]): Promise<void> {
  return stores.manifest.commitBatch(run, { upserts, deletes: [] }, counters);
}

function writtenByRun(rows: readonly ManifestEntry[]): StoredEntry[] {
  return rows.map((row) => ({ ...row, executionId: run.executionId }));
}

describe('the manifest', () => {
  it('returns each row as it was stored', async () => {
    const rows = [
      indexedFile('a.ts'),
      indexedFile('dir with "quotes"/ünïcode 🚀.md', {
        language: null,
        sizeBytes: 5_000_000_000,
        chunkCount: 3,
      }),
      indexedFile('skipped.bin', {
        indexedAt: null,
        skipReason: 'binary',
        skipDetail: 'NUL at 3',
        chunkCount: 0,
      }),
      indexedFile('src/.gitattributes', { secretsFound: 2, secretDetail: 'jwt line 1, npm-token line 7' }),
      indexedFile('zz/failed.ts', { lastError: 'temporary: 503', sizeBytes: null }),
    ];
    await put(...rows);
    expect(await allEntries(stores, run.repositoryId)).toEqual(writtenByRun(rows));
  });

  it('replaces and removes rows; the last row of a repeated path wins', async () => {
    await put(indexedFile('a.ts'), indexedFile('b.ts'), indexedFile('c.ts'));
    const upserts = [
      indexedFile('b.ts', { blobSha: 'b'.repeat(40) }),
      indexedFile('b.ts', { blobSha: 'c'.repeat(40) }),
      indexedFile('c.ts', { chunkCount: 9 }),
    ];
    await stores.manifest.commitBatch(run, { upserts, deletes: ['a.ts', 'c.ts', 'unknown.ts'] }, counters);
    await stores.manifest.commitBatch(run, { upserts, deletes: ['a.ts', 'c.ts', 'unknown.ts'] }, counters);
    expect(await allEntries(stores, run.repositoryId)).toEqual(writtenByRun(upserts.slice(1)));
  });

  it('commits rows and counters together', async () => {
    await stores.manifest.commitBatch(run, { upserts: [], deletes: [] }, { ...counters, filesAdded: 4 });
    expect(await stores.executions.find(run.executionId)).toMatchObject({ filesAdded: 4 });
    const bad = indexedFile('ok.ts', { chunkCount: -1 });
    await expect(
      stores.manifest.commitBatch(run, { upserts: [bad], deletes: [] }, { ...counters, filesAdded: 5 }),
    ).rejects.toMatchObject({ kind: 'invalid' });
    expect(await stores.executions.find(run.executionId)).toMatchObject({ filesAdded: 4 });
  });

  it('strips characters that Postgres text cannot store from messages, and refuses such paths by name', async () => {
    await put(indexedFile('a.ts', { lastError: 'got \0 and \ud800, then 🚀', skipDetail: '\0' }));
    const [row] = await allEntries(stores, run.repositoryId);
    expect(row).toMatchObject({ lastError: 'got \u{FFFD} and \u{FFFD}, then 🚀', skipDetail: '\u{FFFD}' });
    const refused = { kind: 'invalid', code: 'path_not_storable' };
    await expect(put(indexedFile('a\0b.ts'))).rejects.toMatchObject(refused);
    await expect(
      stores.manifest.commitBatch(run, { upserts: [], deletes: ['a\0b.ts'] }, counters),
    ).rejects.toMatchObject(refused);
  });

  it('stores paths of any length in byte order, with their folders', async () => {
    const deep = `m/${words(9, 9_000)}`;
    // The first two have the maximum length of an index key, and one byte more.
    const paths = [`b${words(1, 2599)}`, `b${words(2, 2600)}`, `${deep}/one`, `${deep}/two`, 'a.ts', 'z.ts'];
    const sorted = [...paths].sort();
    await put(...paths.map((path) => indexedFile(path)));
    const [long] = paths.slice(1);
    const failed = indexedFile(long!, { chunkCount: 7, lastError: 'file_failed: no answer' });
    await put(failed, failed, indexedFile('z.ts'));
    const rows = await allEntries(stores, run.repositoryId);
    expect(rows.map(({ path }) => path)).toEqual(sorted);
    expect(rows.filter(({ chunkCount }) => chunkCount === 7)).toEqual(writtenByRun([failed]));
    const listed = await stores.manifest.listFiles(run.repositoryId, { pathPrefix: deep }, everything);
    expect(listed.items.map(({ path }) => path)).toEqual([`${deep}/one`, `${deep}/two`]);
    expect(listed.total).toBe(2);
    const parent = deep.slice(0, deep.lastIndexOf('/'));
    expect((await stores.manifest.listFolder(run.repositoryId, parent, everything))?.items).toMatchObject([
      { path: deep, fileCount: 2 },
    ]);
    const files = await new ExecutionArchive(stores.db).listFiles(run.executionId, {}, everything);
    expect(files.items.map(({ path }) => path)).toEqual([long]);

    await stores.manifest.commitBatch(run, { upserts: [], deletes: [long!, `${deep}/one`] }, counters);
    expect((await allEntries(stores, run.repositoryId)).map(({ path }) => path)).toEqual(
      sorted.filter((path) => path !== long && path !== `${deep}/one`),
    );
    expect((await stores.manifest.listFolder(run.repositoryId, parent, everything))?.items).toMatchObject([
      { path: deep, fileCount: 1 },
    ]);
  });

  it('lists thousands of rows in pages, each once, in byte order', async () => {
    const paths = Array.from({ length: 2500 }, (_, index) => `d${index % 7}/${index}-Ä é.ts`);
    for (let start = 0; start < paths.length; start += 500) {
      await put(...paths.slice(start, start + 500).map((path) => indexedFile(path)));
    }
    const sizes: number[] = [];
    const seen: string[] = [];
    for await (const page of stores.manifest.listEntries(run.repositoryId)) {
      sizes.push(page.length);
      seen.push(...page.map((row) => row.path));
    }
    expect(sizes).toEqual([1000, 1000, 500]);
    expect(seen).toEqual([...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  });

  it('finds the rows that hold points of the given blobs', async () => {
    const blobSha = 'd'.repeat(40);
    const holding = indexedFile('holding.ts', { blobSha });
    await put(
      holding,
      indexedFile('other.ts'),
      indexedFile('failed.ts', { blobSha, lastError: 'x' }),
      indexedFile('skipped.ts', { blobSha, skipReason: 'binary', indexedAt: null, chunkCount: 0 }),
    );
    const found = await stores.manifest.findIndexedByBlob(run.repositoryId, [blobSha, 'e'.repeat(40)]);
    expect(found).toEqual([holding]);
    expect(await stores.manifest.findIndexedByBlob(run.repositoryId, [])).toEqual([]);
  });

  it('finds files by name in any folder', async () => {
    const paths = [
      '.gitattributes',
      'a/.gitattributes',
      'a/b/.ignore',
      'a/x.gitattributes',
      '.gitattributes/x',
    ];
    await put(...paths.map((path) => indexedFile(path)));
    const found = await stores.manifest.findNamed(run.repositoryId, ['.gitattributes', '.ignore']);
    expect(found.map(({ path }) => path)).toEqual(['.gitattributes', 'a/.gitattributes', 'a/b/.ignore']);
    expect(await stores.manifest.findNamed(run.repositoryId, [])).toEqual([]);
  });

  it('explains why a file is not indexed', async () => {
    await put(
      indexedFile('src/a.ts'),
      indexedFile('src/app/b.ts', { secretsFound: 1, secretDetail: 'jwt line 1' }),
      indexedFile('src/app/c.bin', { skipReason: 'binary', indexedAt: null }),
      indexedFile('src/app-extra/d.ts', { lastError: 'x', skipReason: 'binary' }),
      indexedFile('src%/e.ts'),
    );
    const list = async (
      filter: Parameters<typeof stores.manifest.listFiles>[1],
    ): Promise<[string[], number]> => {
      const page = await stores.manifest.listFiles(run.repositoryId, filter, { limit: 2, offset: 0 });
      return [page.items.map((row) => row.path), page.total];
    };
    expect(await list({})).toEqual([['src%/e.ts', 'src/a.ts'], 5]);
    expect(await list({ status: 'skipped' })).toEqual([['src/app/c.bin'], 1]);
    expect(await list({ status: 'failed' })).toEqual([['src/app-extra/d.ts'], 1]);
    expect(await list({ status: 'indexed', pathPrefix: 'src/' })).toEqual([['src/a.ts', 'src/app/b.ts'], 2]);
    expect(await list({ pathPrefix: 'src/app' })).toEqual([['src/app/b.ts', 'src/app/c.bin'], 2]);
    expect(await list({ pathPrefix: 'src/a.ts' })).toEqual([['src/a.ts'], 1]);
    expect(await list({ hasSecrets: true })).toEqual([['src/app/b.ts'], 1]);
    expect((await list({ hasSecrets: false }))[1]).toBe(4);
    const beyond = await stores.manifest.listFiles(run.repositoryId, {}, { limit: 2, offset: 9 });
    expect(beyond).toEqual({ items: [], total: 5 });
  });

  it('counts the files that failed', async () => {
    const failedFiles = async () => (await stores.manifest.totalsOf(run.repositoryId)).failedFiles;
    await put(indexedFile('a.ts'));
    expect(await failedFiles()).toBe(0);
    await put(indexedFile('a.ts', { lastError: 'x' }));
    expect(await failedFiles()).toBe(1);
    await put(indexedFile('a.ts'));
    expect(await failedFiles()).toBe(0);
  });

  it('advances the pointer last and clears the dirty mark of the first write', async () => {
    await stores.manifest.markDirty(run);
    await stores.manifest.markDirty(run);
    const dirty = await stores.repositories.find(run.repositoryId);
    expect(dirty).toMatchObject({ indexDirty: true, lastSyncedCommit: null, lastSyncAt: null, revision: 1 });
    await stores.manifest.advancePointer(run, { commit: 'c1', fingerprint: 'f1', indexSuspicions: 0 });
    const clean = await stores.repositories.find(run.repositoryId);
    expect(clean).toMatchObject({
      indexDirty: false,
      lastSyncedCommit: 'c1',
      indexFingerprint: 'f1',
      revision: 1,
    });
    expect(clean?.lastSyncAt).toBeInstanceOf(Date);
  });
});

describe('the proof of a store', () => {
  it('counts the chunks of indexed files, also of failed ones with a former version', async () => {
    const countChunks = async () => (await stores.manifest.totalsOf(run.repositoryId)).chunks;
    expect(await countChunks()).toBe(0);
    await put(indexedFile('a.ts', { chunkCount: 3 }));
    await put(indexedFile('b.ts', { chunkCount: 4, lastError: 'x' }));
    await put(indexedFile('c.ts', { chunkCount: 0, indexedAt: null, lastError: 'x' }));
    expect(await countChunks()).toBe(7);
  });

  it('is marked by a run that wrote, and stays as it is after a run that did not', async () => {
    const pointer = { commit: 'c1', fingerprint: 'f1', indexSuspicions: 0 };
    const mark = async () => {
      const { markFence, markPoints } = await stores.manifest.stateOf(run.repositoryId);
      return [markFence, markPoints];
    };
    expect(await mark()).toEqual([null, null]);
    const tally = { points: 9, newestFence: 7, atNewestFence: 2 };
    await stores.manifest.advancePointer(run, { ...pointer, tally });
    expect(await mark()).toEqual([7, 2]);
    await stores.manifest.advancePointer(run, pointer);
    expect(await mark()).toEqual([7, 2]);
    const empty = { points: 0, newestFence: null, atNewestFence: 0 };
    await stores.manifest.advancePointer(run, { ...pointer, tally: empty });
    expect(await mark()).toEqual([null, null]);
  });

  it('raises the fences above those of the store, and never lowers them', async () => {
    const drawn = async () => (await startRun(stores, (await addRepository(stores)).id)).fence;
    await Promise.all([5_000, 9_000, 7_000].map((fence) => stores.manifest.raiseFences(fence)));
    const raised = await drawn();
    expect(raised).toBeGreaterThan(9_000);
    await stores.manifest.raiseFences(100);
    expect(await drawn()).toBe(raised + 1);
  });
});

describe('a flag for a check of the index', () => {
  it('remains after a run that was active when it was set, and is cleared by a later run', async () => {
    await stores.manifest.markDirty(run);
    await stores.manifest.flagSuspect(run.repositoryId);
    await stores.manifest.advancePointer(run, { commit: 'c1', fingerprint: 'f1', indexSuspicions: 0 });
    expect(await stores.repositories.find(run.repositoryId)).toMatchObject({
      lastSyncedCommit: 'c1',
      indexDirty: true,
      indexSuspicions: 1,
    });
    await stores.manifest.advancePointer(run, { commit: 'c1', fingerprint: 'f1', indexSuspicions: 1 });
    expect(await stores.repositories.find(run.repositoryId)).toMatchObject({ indexDirty: false });
    await expect(stores.manifest.flagSuspect('nonsense')).resolves.toBeUndefined();
  });
});

describe('the folders of a repository', () => {
  it('equal a recount after each of many changes', async () => {
    const random = seeded(42);
    const names = ['src', 'app', 'lib', 'a b', 'Ä', '.github', '%', '_', 'x'];
    const pick = (): string => names[Math.floor(random() * names.length)] ?? 'x';
    let files = new Map<string, ManifestEntry>();
    for (let round = 0; round < 6; round += 1) {
      const upserts = Array.from({ length: 60 }, () => {
        const depth = Math.floor(random() * 5);
        const path = [...Array.from({ length: depth }, pick), `f${Math.floor(random() * 30)}.ts`].join('/');
        const changes = [{}, { skipReason: 'binary' as const }, { lastError: 'x' }, { sizeBytes: null }];
        return indexedFile(path, {
          sizeBytes: Math.floor(random() * 1e10),
          ...changes[Math.floor(random() * 4)],
        });
      });
      const deletes = [...files.keys()].filter(() => random() < 0.5);
      await stores.manifest.commitBatch(run, { upserts, deletes }, counters);
      files = new Map([...files].filter(([path]) => !deletes.includes(path)));
      for (const entry of upserts) files.set(entry.path, entry);
      expect(await allFolders()).toEqual(foldersByHand([...files.values()]));
    }
  });

  it('are written only above files that changed', async () => {
    await put(indexedFile('a/b/c.ts'), indexedFile('d.ts'));
    const before = await rowVersions();
    await put(indexedFile('a/b/c.ts', { fingerprint: 'changed rules' }));
    expect(await rowVersions()).toEqual(before);
    await put(indexedFile('a/new.ts'));
    const after = await rowVersions();
    expect(after.get('a/b')).toBe(before.get('a/b'));
    expect(after.get('a')).not.toBe(before.get('a'));
  });

  it('equal a recount after a statement that no run made', async () => {
    const files = ['a/b/1.ts', 'a/b/2.ts', 'c/3.ts', 'd.ts'].map((path) => indexedFile(path));
    await put(...files);
    await stores.db.query(`UPDATE repository_files SET path = 'e/' || path WHERE path LIKE 'c/%'`);
    await stores.db.query(`DELETE FROM repository_files WHERE path LIKE 'a/b/%'`);
    expect(await allFolders()).toEqual(foldersByHand([indexedFile('e/c/3.ts'), indexedFile('d.ts')]));
  });

  describe('know the tree that their rows are equal to', () => {
    const ids = new Map(['', 'a', 'a/b', 'c'].map((path) => [path, `tree of "${path}"`]));
    const known = async () => {
      const { rootTreeId } = await stores.manifest.totalsOf(run.repositoryId);
      const found = await stores.manifest.findFolders(run.repositoryId, ['', 'a']);
      return new Map([['', rootTreeId], ...found.map(({ path, treeId }) => [path, treeId] as const)]);
    };
    beforeEach(async () => {
      await put(...['a/b/1.ts', 'a/2.ts', 'c/3.ts'].map((path) => indexedFile(path)));
      expect(new Set((await known()).values())).toEqual(new Set([null]));
      await stores.manifest.recordFolderIds(run, ids);
      expect(await known()).toEqual(ids);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['another content', () => put(indexedFile('a/b/1.ts', { blobSha: 'd'.repeat(40) }))],
      ['another mode', () => put(indexedFile('a/b/1.ts', { mode: '100755' }))],
      ['a failure', () => put(indexedFile('a/b/1.ts', { lastError: 'file_failed: no answer' }))],
      ['a new file', () => put(indexedFile('a/b/new.ts'))],
      ['a removed row', () => stores.db.query(`DELETE FROM repository_files WHERE path = 'a/b/1.ts'`)],
      [
        'a row under another path',
        () => stores.db.query(`UPDATE repository_files SET path = 'a/b/x' WHERE path = 'a/b/1.ts'`),
      ],
    ])('until %s below', async (_change, make) => {
      await make();
      const after = await known();
      expect([after.get('') ?? null, after.get('a') ?? null, after.get('a/b') ?? null]).toEqual([
        null,
        null,
        null,
      ]);
      expect(after.get('c')).toBe(ids.get('c'));
    });

    it('also after the same file was stored again, or by changed rules', async () => {
      await put(indexedFile('a/b/1.ts', { fingerprint: 'changed rules', chunkCount: 9 }));
      expect(await known()).toEqual(ids);
    });

    it('but never while a file below failed', async () => {
      await put(indexedFile('a/b/1.ts', { lastError: 'file_failed: no answer' }));
      await stores.manifest.recordFolderIds(run, ids);
      expect(await known()).toEqual(
        new Map([...['', 'a', 'a/b'].map((path) => [path, null] as const), ['c', ids.get('c')]]),
      );
    });
  });

  it('lead to their rows, without those of other folders', async () => {
    await put(
      ...['1.ts', 'a/2.ts', 'a/b/3.ts', 'a/b/c/4.ts', 'ab/5.ts', 'a/b.ts'].map((path) => indexedFile(path)),
    );
    const rowsIn = async (folders: string[], below: string[]) => {
      const scope = { folders: new Set(folders), below: new Set(below) };
      const paths: string[] = [];
      for await (const rows of stores.manifest.listEntriesIn(run.repositoryId, scope))
        paths.push(...rows.map(({ path }) => path));
      return paths.sort();
    };
    expect(await rowsIn([''], [])).toEqual(['1.ts']);
    expect(await rowsIn(['a', 'nowhere'], [])).toEqual(['a/2.ts', 'a/b.ts']);
    expect(await rowsIn(['a/b/c'], ['ab'])).toEqual(['a/b/c/4.ts', 'ab/5.ts']);
    expect(await rowsIn([], ['a'])).toEqual(['a/2.ts', 'a/b.ts', 'a/b/3.ts', 'a/b/c/4.ts']);
  });

  it('are listed by parent, in pages', async () => {
    await put(...['a/1.ts', 'b/2.ts', 'c/d/3.ts', '4.ts'].map((path) => indexedFile(path)));
    const root = await stores.manifest.listFolder(run.repositoryId, '', { limit: 2, offset: 1 });
    expect(root?.items.map(({ path }) => path)).toEqual(['b', 'c']);
    expect(root?.total).toBe(3);
    const inner = await stores.manifest.listFolder(run.repositoryId, 'c/', everything);
    expect(inner?.items).toEqual([
      { path: 'c/d', parentPath: 'c', fileCount: 1, indexedFileCount: 1, sizeBytes: 10 },
    ]);
    expect(await stores.manifest.listFolder(run.repositoryId, 'c/d', everything)).toEqual({
      items: [],
      total: 0,
    });
    expect(await stores.manifest.listFolder(run.repositoryId, 'nowhere', everything)).toBeNull();
  });

  it('are an empty root when the repository has no files', async () => {
    const expectEmpty = async () =>
      expect(await stores.manifest.listFolder(run.repositoryId, '', everything)).toEqual({
        items: [],
        total: 0,
      });
    await expectEmpty();
    await put(indexedFile('a/b.ts'));
    await stores.manifest.commitBatch(run, { upserts: [], deletes: ['a/b.ts'] }, counters);
    await expectEmpty();
    expect(await allFolders()).toEqual([
      { path: '', parentPath: null, fileCount: 0, indexedFileCount: 0, sizeBytes: 0 },
    ]);
  });

  async function allFolders(): Promise<Folder[]> {
    return stores.db.query<Folder & Record<string, unknown>>(
      `SELECT path, parent_path AS "parentPath", file_count AS "fileCount",
        indexed_file_count AS "indexedFileCount", size_bytes AS "sizeBytes"
        FROM repository_folders WHERE repository_id = $1 ORDER BY path`,
      [run.repositoryId],
    );
  }

  async function rowVersions(): Promise<Map<string, string>> {
    const rows = await stores.db.query<{ path: string; version: string }>(
      `SELECT path, xmin::text AS version FROM repository_folders WHERE repository_id = $1`,
      [run.repositoryId],
    );
    return new Map(rows.map(({ path, version }) => [path, version]));
  }
});

/** A slow recount, simple enough to be correct. */
function foldersByHand(files: ManifestEntry[]): Folder[] {
  const folders = new Map<string, Folder>();
  const root: Folder = { path: '', parentPath: null, fileCount: 0, indexedFileCount: 0, sizeBytes: 0 };
  folders.set('', root);
  for (const file of files) {
    const names = file.path.split('/');
    for (let depth = 0; depth < names.length; depth += 1) {
      const path = names.slice(0, depth).join('/');
      const parentPath = depth === 0 ? null : names.slice(0, depth - 1).join('/');
      const folder = folders.get(path) ?? { ...root, path, parentPath };
      folders.set(path, {
        ...folder,
        fileCount: folder.fileCount + 1,
        indexedFileCount:
          folder.indexedFileCount + (file.skipReason === null && file.lastError === null ? 1 : 0),
        sizeBytes: folder.sizeBytes + (file.sizeBytes ?? 0),
      });
    }
  }
  return [...folders.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

/** Pseudo-random numbers in [0, 1), the same in each test run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A path of random folder names, which Postgres cannot compress. */
function words(seed: number, length: number): string {
  let state = seed;
  const letters = Array.from({ length }, (_, index) => {
    state = (state * 48_271) % 2_147_483_647;
    return index % 200 === 199 ? '/' : (state % 36).toString(36);
  });
  return letters.join('').slice(0, length - 1) + 'e';
}
