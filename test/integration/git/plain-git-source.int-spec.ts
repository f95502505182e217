import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OutgoingHosts } from '@adapters/gitlab';
import {
  createGitRepository,
  type FaultEffect,
  type GitRepository,
  type GitServer,
  listTree,
  startGitServer,
} from '@devkit';
import { listed, objects } from '../../contracts/source.contract.js';
import { failureOf } from '../gitlab/open-source.js';
import { openPlainSource, plainSources } from './open-plain-source.js';

const PACKS = /git-upload-pack$/;
const CAPABILITIES = /info\/refs/;
/** The first protocol lists branches at once. */
const OLD_ANSWER = `001e# service=git-upload-pack\n0000003d${'d'.repeat(40)} refs/heads/main\n0000`;
const { signal } = new AbortController();

describe('A repository of a plain git server', () => {
  let directory: string;
  let git: GitRepository;
  let server: GitServer;
  let scratchRoot: string;
  let commit: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-plain-git-'));
    git = await createGitRepository(join(directory, 'git'), { bare: true });
    for (let file = 0; file < 40; file += 1) git.write(`src/${file % 5}/file-${file}.ts`, `file ${file}\n`);
    commit = await git.writeAll({ 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', large: 'x'.repeat(1001) }).commit();
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  beforeEach(async () => {
    scratchRoot = await mkdtemp(join(directory, 'scratch-'));
    server = await startGitServer();
    server.add('team/app.git', git.directory);
  });
  afterEach(async () => {
    expect(server.requests.flatMap(({ failure }) => failure ?? [])).toEqual([]);
    await server.stop();
  });

  const factory = () => plainSources(server, { scratchRoot });
  const add = async (path: string, options: { objectFormat?: 'sha256' } = {}): Promise<GitRepository> => {
    const repository = await createGitRepository(join(directory, path), { bare: true, ...options });
    server.add(path, repository.directory);
    return repository;
  };

  it('is found with the branch of HEAD, in two requests that carry user and token at once', async () => {
    const source = await openPlainSource(server, { factory: factory() });
    expect(await source.findProject(null, signal)).toMatchObject({
      projectId: null,
      projectPath: `${server.url}/team/app.git`,
      defaultBranch: 'main',
      isEmpty: false,
    });
    expect(await source.listBranches(null, signal)).toEqual(['main']);
    expect(server.requests.map(({ status, token }) => `${status} ${token}`)).toEqual(
      Array(3).fill('200 accepted'),
    );
  });

  it('costs one request when its branch is unchanged and its server is known', async () => {
    const shared = factory();
    await (await openPlainSource(server, { factory: shared })).headOf(null, 'main', signal);
    expect(server.requests).toHaveLength(2);
    server.resetLog();
    await (await openPlainSource(server, { factory: shared })).headOf(null, 'main', signal);
    expect(server.requests).toHaveLength(1);
  });

  it('has its too large files said, of a size that git does not send', async () => {
    const source = await openPlainSource(server, { factory: factory(), isEverything: true });
    const large = (await listTree(git.directory, commit)).find(({ path }) => path === 'large')!.sha;
    await listed(source, commit);
    expect([...(await objects(source, commit, [large]))]).toEqual([
      [large, { kind: 'too_large', sizeBytes: null }],
    ]);
    expect(await source.readBlob(null, large, 1000, signal)).toEqual({ kind: 'too_large', sizeBytes: null });
    expect(server.requests).toHaveLength(2);
  });

  it('has a branch that does not exist: the error names those that do', async () => {
    const source = await openPlainSource(server, { factory: factory() });
    const failure = await failureOf(source.headOf(null, 'mian', signal));
    expect(failure).toMatchObject({ kind: 'not_found', code: 'branch_not_found' });
    expect(failure.message).toContain('Its default branch is "main". It has "main".');
  });

  it('follows a renamed default branch at the next look', async () => {
    const renamed = await add('renamed');
    await renamed.write('a', 'a').commit();
    await renamed.git('branch', '-m', 'main', 'trunk');
    const source = await openPlainSource(server, { factory: factory(), path: 'renamed' });
    expect((await source.findProject(null, signal)).defaultBranch).toBe('trunk');
    expect((await failureOf(source.headOf(null, 'main', signal))).message).toContain(
      'Its default branch is "trunk"',
    );
  });

  it('may be empty', async () => {
    await add('empty');
    const source = await openPlainSource(server, { factory: factory(), path: 'empty' });
    expect(await source.findProject(null, signal)).toMatchObject({ isEmpty: true, defaultBranch: null });
    expect(await failureOf(source.headOf(null, 'main', signal))).toMatchObject({ code: 'repository_empty' });
  });

  it('may have SHA-256 ids', async () => {
    const wide = await add('wide', { objectFormat: 'sha256' });
    const head = await wide.write('a', 'first\n').commit();
    const source = await openPlainSource(server, { factory: factory(), path: 'wide' });
    expect(await source.headOf(null, 'main', signal)).toMatchObject({ commit: head });
    const [file] = await listed(source, head);
    expect((await objects(source, head, [file!.blobSha])).get(file!.blobSha)).toEqual({
      kind: 'bytes',
      bytes: Buffer.from('first\n'),
    });
  });

  it('may have moved: the redirect is not followed, and the error says where to look', async () => {
    server.move('team/app.git', 'team/renamed.git');
    const source = await openPlainSource(server, { factory: factory() });
    const failure = await failureOf(source.findProject(null, signal));
    expect(failure).toMatchObject({ kind: 'invalid', code: 'source_redirect_refused' });
    expect(failure.message).toContain('change the URL of the repository');
    expect(server.requests).toHaveLength(1);
  });

  it('may be deleted: the error says that a private one looks the same', async () => {
    server.remove('team/app.git');
    const source = await openPlainSource(server, { factory: factory() });
    for (const work of [
      source.findProject(null, signal),
      source.headOf(null, 'main', signal),
      listed(source, commit),
    ])
      expect(await failureOf(work)).toMatchObject({ kind: 'not_found', code: 'project_not_found' });
  });

  it('refuses a wrong token and no token, and the error names the credential, but no setting of GitLab', async () => {
    const wrong = plainSources({ ...server, token: 'wrong-token' });
    for (const [source, advice] of [
      [await openPlainSource(server, { factory: wrong }), 'Renew the credential of the repository'],
      [await openPlainSource(server, { credentialId: null }), 'Store a credential for the host'],
    ] as const) {
      const failure = await failureOf(source.headOf(null, 'main', signal));
      expect(failure).toMatchObject({ kind: 'unauthorized', code: 'source_token_rejected' });
      expect(failure.message).toContain(advice);
      expect(failure.message).not.toMatch(/GITLAB|wrong-token/);
    }
    // GITLAB_TOKEN is set in these tests.
    expect(server.requests.map(({ token }) => token)).toEqual(['rejected', 'absent']);
  });

  it('gets no credential that belongs to another host', async () => {
    const tokenFor = async () => ({ token: 'secret', baseUrl: 'https://git.example.com' });
    const foreign = plainSources(server, { tokenFor });
    expect(await failureOf(openPlainSource(server, { factory: foreign }))).toMatchObject({
      code: 'credential_foreign_host',
    });
    expect(server.requests).toEqual([]);
  });

  it('must be at an allowed address', async () => {
    const outgoing = new OutgoingHosts({ allowed: ['public'], operatorUrls: [] });
    const guarded = plainSources(server, { outgoing });
    expect(await failureOf(openPlainSource(server, { factory: guarded }))).toMatchObject({
      code: 'url_not_allowed',
    });
    const named = plainSources(server, {
      outgoing: new OutgoingHosts({
        allowed: ['http://localhost:*'],
        operatorUrls: [],
        resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      }),
      tokenFor: async () => ({ token: server.token, username: server.user, baseUrl: local }),
    });
    const local = server.url.replace('127.0.0.1', 'localhost');
    const source = await openPlainSource({ ...server, url: local }, { factory: named });
    expect(await source.headOf(null, 'main', signal)).toMatchObject({ commit });
  });

  it('lost its commit by a force push', async () => {
    const source = await openPlainSource(server, { factory: factory() });
    expect(await failureOf(listed(source, 'd'.repeat(40)))).toMatchObject({ code: 'commit_not_found' });
  });

  const faults: [string, RegExp, FaultEffect, string][] = [
    [
      'a login page',
      CAPABILITIES,
      { kind: 'status', status: 200, body: '<html>Log in</html>' },
      'git_answer_invalid',
    ],
    [
      'a server of the first protocol',
      CAPABILITIES,
      { kind: 'status', status: 200, body: OLD_ANSWER },
      'git_protocol_unsupported',
    ],
    ['an outage', PACKS, { kind: 'status', status: 503 }, 'source_unavailable'],
    ['a refusal', PACKS, { kind: 'status', status: 403 }, 'source_access_denied'],
    ['connections that always break', PACKS, { kind: 'cut', afterBytes: 300 }, 'source_unavailable'],
    ['answers that always end early', PACKS, { kind: 'truncate', keepBytes: 200 }, 'git_answer_invalid'],
    ['flipped bits', PACKS, { kind: 'corrupt' }, ''],
    ['a rate limit', PACKS, { kind: 'status', status: 429, retryAfterSeconds: 3600 }, 'source_rate_limited'],
  ];
  it.each(faults)('fails the listing after %s, and leaves no file', async (_, url, effect, code) => {
    server.faults.add({ url, effect });
    const source = await openPlainSource(server, { factory: factory() });
    const failure = await failureOf(listed(source, commit));
    expect(failure.code).toMatch(code === '' ? /^git_/ : code);
    await source.close();
    expect(await readdir(scratchRoot)).toEqual([]);
  });
});
