import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Clock, type TreeReader } from '@core/domain';
import {
  createGitRepository,
  type FaultEffect,
  type GitLabStandIn,
  type GitRepository,
  listTree,
  startGitLabStandIn,
} from '@devkit';
import { listed, objects } from '../../contracts/source.contract.js';
import { failureOf } from '../gitlab/open-source.js';
import { gitSources, openGitSource } from './open-git-source.js';

const PACKS = /\.git\/git-upload-pack$/;
const CAPABILITIES = /info\/refs/;

describe('Git source', () => {
  let directory: string;
  let git: GitRepository;
  let gitlab: GitLabStandIn;
  let scratchRoot: string;
  let commit: string;
  let blobShas: string[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-git-source-'));
    git = await createGitRepository(join(directory, 'git'), { bare: true });
    for (let file = 0; file < 40; file += 1)
      git.write(`src/${file % 5}/file-${file}.ts`, `file ${file}\n`.repeat(20));
    commit = await git.commit();
    blobShas = (await listTree(git.directory, commit)).map(({ sha }) => sha);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  beforeEach(async () => {
    scratchRoot = await mkdtemp(join(directory, 'scratch-'));
    gitlab = await startGitLabStandIn();
    await gitlab.addProject({ path: 'team/app', gitDir: git.directory, defaultBranch: 'main' });
  });
  afterEach(async () => {
    expect(gitlab.requests.flatMap(({ failure }) => failure ?? [])).toEqual([]);
    await gitlab.stop();
  });

  const sources = (options: Parameters<typeof gitSources>[1] = {}) =>
    gitSources(gitlab, { scratchRoot, ...options });
  const gitRequests = () =>
    gitlab.requests
      .filter(({ path }) => path.includes('.git/'))
      .map(({ path, status }) => `${status} ${path}`);

  it('sends the token with the first request, and needs one request per transfer', async () => {
    const source = await openGitSource(gitlab, sources());
    await listed(source, commit);
    expect((await objects(source, commit, blobShas)).size).toBe(blobShas.length);
    expect((await objects(source, commit, blobShas.slice(5))).size).toBe(blobShas.length - 5);
    expect(gitRequests()).toEqual([
      '200 /team/app.git/info/refs',
      '200 /team/app.git/git-upload-pack',
      '200 /team/app.git/git-upload-pack',
    ]);
    expect(new Set(gitlab.requests.map(({ token }) => token))).toEqual(new Set(['accepted']));
    expect(source.usage()).toMatchObject({ requests: 3, retries: 0 });
  });

  it('asks a project for its capabilities once per process', async () => {
    const factory = sources();
    for (const source of [await openGitSource(gitlab, factory), await openGitSource(gitlab, factory)])
      await listed(source, commit);
    expect(gitRequests().filter((path) => CAPABILITIES.test(path))).toHaveLength(1);
  });

  it('transfers everything in one request when most files will be read', async () => {
    const source = await openGitSource(gitlab, sources(), { isEverything: true });
    await listed(source, commit);
    expect((await objects(source, commit, blobShas)).size).toBe(blobShas.length);
    expect(gitRequests()).toHaveLength(2);
  });

  it('leaves no file behind when it is closed, with no secret in the meantime', async () => {
    const source = await openGitSource(gitlab, sources());
    await listed(source, commit);
    const [name = ''] = await readdir(scratchRoot);
    const files = await readdir(join(scratchRoot, name), { recursive: true });
    expect(files).toContain(join('objects', 'pack'));
    expect(files.filter((file) => /hooks|FETCH_HEAD|logs|ORIG_HEAD/.test(file))).toEqual([]);
    await source.close();
    await source.close();
    expect(await readdir(scratchRoot)).toEqual([]);
  });

  it('removes what a killed process left', async () => {
    const ended = 2 ** 22 + 1;
    const left = `repotide-git-${ended}-0a1b2c3d-abcdef`;
    await createGitRepository(join(scratchRoot, left), { bare: true });
    const source = await openGitSource(gitlab, sources());
    await listed(source, commit);
    expect(await readdir(scratchRoot)).not.toContain(left);
  });

  describe('when the transfer fails', () => {
    const faults: [string, RegExp, FaultEffect][] = [
      ['a connection that breaks once', PACKS, { kind: 'cut', afterBytes: 300 }],
      ['an answer that ends early once', PACKS, { kind: 'truncate', keepBytes: 200 }],
      ['a broken connection for the capabilities', CAPABILITIES, { kind: 'cut' }],
      ['503 with Retry-After', PACKS, { kind: 'status', status: 503, retryAfterSeconds: 7 }],
      ['429 with Retry-After', PACKS, { kind: 'status', status: 429, retryAfterSeconds: 7 }],
      ['429 for the capabilities', CAPABILITIES, { kind: 'status', status: 429, retryAfterSeconds: 7 }],
    ];
    it.each(faults)('repeats after %s', async (_, url, effect) => {
      gitlab.faults.add({ url, times: 1, effect });
      const source = await openGitSource(gitlab, sources());
      expect(await listed(source, commit)).toHaveLength(40);
      expect(source.transport()).toEqual({ name: 'git', reason: null });
    });

    const lasting: [string, RegExp, FaultEffect, string][] = [
      ['403', CAPABILITIES, { kind: 'status', status: 403 }, 'source_access_denied'],
      ['a rejected token', CAPABILITIES, { kind: 'status', status: 401 }, 'source_token_rejected'],
      ['404', PACKS, { kind: 'status', status: 404 }, 'source_not_found'],
      ['an outage', PACKS, { kind: 'status', status: 503 }, 'source_unavailable'],
      ['a redirect', CAPABILITIES, { kind: 'redirect', to: 'http://127.0.0.1:1' }, 'source_redirect_refused'],
      [
        'a login page',
        CAPABILITIES,
        { kind: 'status', status: 200, body: '<html>Log in</html>' },
        'git_answer_invalid',
      ],
      ['connections that always break', PACKS, { kind: 'cut', afterBytes: 300 }, 'source_unavailable'],
      ['flipped bits', PACKS, { kind: 'corrupt' }, ''],
      ['answers that always end early', PACKS, { kind: 'truncate', keepBytes: 200 }, 'git_answer_invalid'],
    ];
    it.each(lasting)(
      'reads everything through the API after %s, and says why',
      async (_, url, effect, reason) => {
        gitlab.faults.add({ url, effect });
        const source = await openGitSource(gitlab, sources());
        expect(await listed(source, commit)).toHaveLength(40);
        expect(await objects(source, commit, blobShas)).toEqual(new Map());
        expect(source.transport()).toEqual({
          name: 'rest',
          reason: reason || expect.stringMatching(/^git_/),
        });
        await source.close();
        expect(await readdir(scratchRoot)).toEqual([]);
      },
    );

    it('reads a list of blobs through the API when the second transfer fails', async () => {
      const source = await openGitSource(gitlab, sources());
      await listed(source, commit);
      gitlab.faults.add({ url: PACKS, effect: { kind: 'status', status: 503 } });
      expect(await objects(source, commit, blobShas)).toEqual(new Map());
      expect(source.transport()).toMatchObject({ name: 'rest', reason: 'source_unavailable' });
    });

    it('does not hide a lasting rate limit', async () => {
      gitlab.faults.add({ url: PACKS, effect: { kind: 'status', status: 429, retryAfterSeconds: 3600 } });
      const source = await openGitSource(gitlab, sources());
      expect(await failureOf(listed(source, commit))).toMatchObject({ code: 'source_rate_limited' });
    });

    it('remembers a refusal per host and credential for an hour', async () => {
      let nowMs = Date.now();
      const clock: Clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
      const factory = sources({ clock });
      gitlab.settings.git.isEnabled = false;
      await listed(await openGitSource(gitlab, factory), commit);
      gitlab.settings.git.isEnabled = true;
      gitlab.resetLog();
      const next = await openGitSource(gitlab, factory);
      await listed(next, commit);
      expect(next.transport()).toEqual({ name: 'rest', reason: 'source_access_denied' });
      expect(gitRequests()).toEqual([]);
      nowMs += 3_600_001;
      const later = await openGitSource(gitlab, factory);
      await listed(later, commit);
      expect(later.transport()).toEqual({ name: 'git', reason: null });
    });
  });

  it('goes on with the renewed token after the token has expired between two transfers', async () => {
    const values = ['first-token', 'second-token'];
    for (const value of values) gitlab.addToken({ name: value, value, scopes: ['read_api'] });
    const tokenFor = async () => ({ token: values[0]!, baseUrl: gitlab.url });
    const source = await openGitSource(gitlab, sources({ tokenFor }), {}, 'credential');
    await listed(source, commit);
    gitlab.endToken('first-token', 'expired');
    values.shift();
    expect((await objects(source, commit, blobShas)).size).toBe(blobShas.length);
    expect(source.transport()).toEqual({ name: 'git', reason: null });
    expect(gitRequests().slice(2)).toEqual([
      '401 /team/app.git/git-upload-pack',
      '200 /team/app.git/git-upload-pack',
    ]);
  });

  it('sends no request to another host, whatever address a project shows', async () => {
    for (const page of ['//127.0.0.1:1/app', '//user@127.0.0.1:1/app', '']) {
      const body = { commit: { id: commit }, web_url: `${gitlab.url}${page}/-/tree/main` };
      const remove = gitlab.faults.add({ url: /branches/, effect: { kind: 'status', status: 200, body } });
      const source = await openGitSource(gitlab, sources());
      await source.headOf(1, 'main', new AbortController().signal);
      expect(await listed(source, commit)).toHaveLength(40);
      // An answer, and no failed connection: the request went to the same GitLab.
      expect(source.transport()?.reason).toMatch(/^source_(token_rejected|not_found|request_refused)$/);
      remove();
    }
  });

  it('finds nothing to read after a force push that dropped the commit', async () => {
    const fork = await createGitRepository(join(directory, 'forced'), { bare: true });
    const lost = await fork.write('a', 'first\n').commit();
    await gitlab.addProject({ path: 'team/forced', gitDir: fork.directory, defaultBranch: 'main' });
    const source = await openGitSource(gitlab, sources(), { projectPath: 'team/forced' });
    await listed(source, lost);
    const [{ sha } = { sha: '' }] = await listTree(fork.directory, lost);
    await fork.checkout('other');
    await fork.write('b', 'second\n').commit();
    await fork.deleteBranch('main');
    await fork.dropUnreachable();
    // The trees are here; the blob is gone from the host.
    expect(await objects(source, lost, [sha])).toEqual(new Map());
    expect(source.transport()).toMatchObject({ name: 'rest', reason: 'git_fetch_refused' });
  });

  describe('with a former commit whose trees are known', () => {
    let pushed: GitRepository;
    let former: string;
    const treeOf = (name: string) => pushed.git('rev-parse', name);
    const open = async (to: string, from: string) => {
      const source = await openGitSource(gitlab, sources(), { projectPath: 'team/pushed' });
      return (await source.openTrees(1, to, from, new AbortController().signal))!;
    };
    const read = (trees: TreeReader, ids: string[]) => trees.read(ids, new AbortController().signal);
    const packs = () => gitRequests().filter((path) => PACKS.test(path)).length;

    beforeEach(async () => {
      const gitDir = await mkdtemp(join(directory, 'pushed-'));
      pushed = await createGitRepository(gitDir, { bare: true });
      for (let file = 0; file < 200; file += 1) pushed.write(`src/${file % 50}/file-${file}.ts`, `${file}\n`);
      former = await pushed.commit();
      await gitlab.addProject({ path: 'team/pushed', gitDir, defaultBranch: 'main' });
    });

    it('transfers the folders that changed, and no other', async () => {
      await pushed.write('src/1/file-1.ts', 'first\n').commit();
      const head = await pushed.write('src/2/file-2.ts', 'second\n').commit();
      const trees = await open(head, former);
      const changed = [
        trees.rootId,
        await treeOf('HEAD:src'),
        await treeOf('HEAD:src/1'),
        await treeOf('HEAD:src/2'),
      ];
      const found = await read(trees, [...changed, await treeOf('HEAD:src/3')]);
      expect([...found!.keys()].sort()).toEqual(changed.sort());
      expect(packs()).toBe(1);
    });

    it('transfers a renamed folder when it is read, with everything below', async () => {
      const head = await pushed.rename('src', 'renamed').commit();
      const trees = await open(head, former);
      const renamed = await treeOf('HEAD:renamed');
      expect(await read(trees, [trees.rootId, renamed])).toHaveProperty('size', 1);
      expect((await read(trees, [renamed]))!.get(renamed)).toHaveLength(50);
      expect((await read(trees, [await treeOf('HEAD:renamed/7')]))!.size).toBe(1);
      expect(packs()).toBe(2);
    });

    it.each<[string, () => Promise<string>]>([
      [
        'is no ancestor after a force push',
        async () => {
          await pushed.checkout('fresh');
          return pushed.write('src/9/file-9.ts', 'forced\n').commit();
        },
      ],
      [
        'is gone from the host',
        async () => {
          former = 'f'.repeat(40);
          return pushed.head();
        },
      ],
    ])('transfers all trees when it %s', async (_, push) => {
      const trees = await open(await push(), former);
      const found = await read(trees, [trees.rootId, await treeOf('HEAD:src'), await treeOf('HEAD:src/9')]);
      expect(found?.size).toBe(3);
      expect(packs()).toBe(2);
    });
  });

  it('reads a repository with SHA-256', async () => {
    const wide = await createGitRepository(join(directory, 'wide'), { bare: true, objectFormat: 'sha256' });
    const head = await wide.write('a', 'first\n').write('folder/b', 'second\n').commit();
    await gitlab.addProject({ path: 'team/wide', gitDir: wide.directory, defaultBranch: 'main' });
    const source = await openGitSource(gitlab, sources(), { projectPath: 'team/wide' });
    const files = await listed(source, head);
    expect(files.map(({ path, blobSha }) => [path, blobSha.length])).toEqual([
      ['a', 64],
      ['folder/b', 64],
    ]);
    const found = await objects(
      source,
      head,
      files.map(({ blobSha }) => blobSha),
    );
    expect(found.get(files[0]!.blobSha)).toEqual({ kind: 'bytes', bytes: Buffer.from('first\n') });
    expect(found.size).toBe(2);
  });
});
