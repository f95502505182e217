import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Source } from '@core/domain';
import { type GitLabStandIn, startGitLabStandIn } from '@devkit';
import { GitFixture, sorted } from './git-fixture.js';
import { failureOf, listAll, openSource } from './open-source.js';
import { type ScriptedServer, startScriptedServer } from './scripted-server.js';

const CONTENTS: Record<string, Buffer> = {
  'README.md': Buffer.from('# Tide\n'),
  'empty.txt': Buffer.alloc(0),
  'encodings/latin1.txt': Buffer.from('Größe: 5 µm\n', 'latin1'),
  'encodings/utf16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('naïve\n', 'utf16le')]),
  'encodings/bytes.bin': Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256)),
  'data/object.json': Buffer.from('{"a": 1}\n'),
  'data/picture.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>\n'),
  'names/with space & ümlaut %2F #?.txt': Buffer.from('odd\n'),
};
const SUBMODULE = 'c'.repeat(40);
const signal = () => new AbortController().signal;
const gitSha = (content: Uint8Array) =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

describe('GitLab source over a git repository', () => {
  let fixture: GitFixture;
  let empty: GitFixture;
  let gitlab: GitLabStandIn;
  let source: Source;
  let waits: number[];
  let commit: string;
  let projectId: number;

  const open = async (options: Parameters<typeof openSource>[1] = {}) =>
    openSource(gitlab.url, { defaultToken: gitlab.token, ...options });
  const shaOf = (path: string) => fixture.git('rev-parse', `${commit}:${path}`).toString().trim();
  const paths = () => gitlab.requests.map(({ path }) => path);

  beforeAll(() => {
    fixture = new GitFixture();
    for (const [path, content] of Object.entries(CONTENTS)) fixture.write(path, content);
    for (let index = 0; index < 230; index += 1)
      fixture.write(`src/m${index % 7}/f${index}.ts`, `export const n = ${index};\n`);
    fixture.link('link.md', 'README.md');
    fixture.stage();
    fixture.addToIndex('160000', SUBMODULE, 'vendor/other');
    fixture.git('update-index', '--chmod=+x', 'README.md');
    commit = fixture.commit('everything');
    fixture.git('branch', 'feature/x');
    empty = new GitFixture();
  });
  afterAll(() => {
    fixture.remove();
    empty.remove();
  });

  beforeEach(async () => {
    gitlab = await startGitLabStandIn();
    const project = await gitlab.addProject({ path: 'group/sub/tide', gitDir: fixture.dir });
    projectId = project.id;
    ({ source, waits } = await open());
  });
  afterEach(async () => {
    expect(gitlab.requests.map(({ failure }) => failure).filter((failure) => failure !== null)).toEqual([]);
    await gitlab.stop();
  });

  describe('project and head', () => {
    it('finds a project by path and by number', async () => {
      const expected = {
        projectId,
        projectPath: 'group/sub/tide',
        defaultBranch: 'main',
        isEmpty: false,
        isArchived: false,
        isMarkedForDeletion: false,
      };
      expect(await source.findProject('group/sub/tide', signal())).toEqual(expected);
      expect(await source.findProject(projectId, signal())).toEqual(expected);
    });

    it('finds a project that has moved by its old path', async () => {
      gitlab.moveProject(projectId, 'elsewhere/tide');
      const found = await source.findProject('group/sub/tide', signal());
      expect(found).toMatchObject({ projectId, projectPath: 'elsewhere/tide' });
      expect(source.usage().requests).toBe(2);
    });

    it('resolves a branch in one request', async () => {
      expect(await source.headOf(projectId, 'main', signal())).toMatchObject({ commit });
      expect(source.usage().requests).toBe(1);
      expect(await source.headOf(projectId, 'feature/x', signal())).toMatchObject({ commit });
    });

    it('distinguishes a missing branch, an empty repository and a missing project', async () => {
      const bare = await gitlab.addProject({ path: 'group/empty', gitDir: empty.dir });
      const missingBranch = await failureOf(source.headOf(projectId, 'gone', signal()));
      expect(missingBranch).toMatchObject({ kind: 'not_found', code: 'branch_not_found' });
      expect(missingBranch.message).toContain('"gone"');
      expect(missingBranch.message).toContain('"main"');
      expect(await failureOf(source.headOf(bare.id, 'main', signal()))).toMatchObject({
        code: 'repository_empty',
      });
      expect(await failureOf(source.headOf(4711, 'main', signal()))).toMatchObject({
        code: 'project_not_found',
      });
      expect(await source.findProject(bare.id, signal())).toMatchObject({
        isEmpty: true,
        defaultBranch: null,
      });
    });

    it('treats a project that is being deleted as missing, not as empty', async () => {
      const doomed = await gitlab.addProject({ path: 'group/doomed', gitDir: fixture.dir });
      doomed.hidden = true;
      expect(await failureOf(source.headOf(doomed.id, 'main', signal()))).toMatchObject({
        kind: 'not_found',
        code: 'project_not_found',
      });
    });
  });

  describe('tree', () => {
    it.each([
      ['by keyset', true],
      ['by page number without keyset support', false],
    ])('equals what git lists, paged %s', async (_, keysetSupported) => {
      gitlab.settings.keysetSupported = keysetSupported;
      const entries = await listAll(source, projectId, commit);
      expect(sorted(entries)).toEqual(fixture.listTree(commit));
      expect(entries).toContainEqual({ path: 'vendor/other', mode: '160000', blobSha: SUBMODULE });
      expect(source.usage().requests).toBe(3);
    });

    it.each([[100], [200]])('a tree of %i files, a full last page, is listed completely', async (count) => {
      const full = new GitFixture();
      try {
        for (let index = 0; index < count; index += 1) full.write(`f${index}`, `${index}`);
        full.stage();
        const head = full.commit('full');
        const project = await gitlab.addProject({ path: `group/full-${count}`, gitDir: full.dir });
        expect(sorted(await listAll(source, project.id, head))).toEqual(full.listTree(head));
        expect(source.usage().requests).toBe(count / 100 + 1);
      } finally {
        full.remove();
      }
    });

    it('the tree of a commit without files is empty', async () => {
      const bare = new GitFixture();
      try {
        const head = bare.commit('nothing yet');
        const project = await gitlab.addProject({ path: 'group/bare', gitDir: bare.dir });
        expect(await listAll(source, project.id, head)).toEqual([]);
      } finally {
        bare.remove();
      }
    });

    it('the tree of an unknown commit is not found', async () => {
      const failure = await failureOf(listAll(source, projectId, 'd'.repeat(40)));
      expect(failure).toMatchObject({ kind: 'not_found', code: 'commit_not_found' });
    });

    it.each([
      ['500', { kind: 'status', status: 500 }],
      ['an HTML 502', { kind: 'status', status: 502, body: '<html>Bad gateway</html>' }],
      ['429 with Retry-After', { kind: 'status', status: 429, retryAfterSeconds: 3 }],
      ['429 without Retry-After', { kind: 'status', status: 429, body: 'Retry later' }],
      ['a connection cut before the response', { kind: 'cut' }],
      ['a connection cut within the response', { kind: 'cut', afterBytes: 1000 }],
      ['a stall', { kind: 'stall', afterBytes: 10 }],
    ] as const)('listTree survives %s on a later page', async (_, effect) => {
      const { source: patient } = await open({ requestTimeoutMs: effect.kind === 'stall' ? 200 : 10_000 });
      gitlab.faults.add({ url: /\/tree\?/, after: 1, times: 1, effect });
      expect(sorted(await listAll(patient, projectId, commit))).toEqual(fixture.listTree(commit));
      expect(patient.usage().requests).toBe(4);
    });

    it('listTree throws when a page stays broken', async () => {
      for (const effect of [
        { kind: 'status', status: 503 },
        { kind: 'truncate', keepBytes: 500 },
        { kind: 'status', status: 200, body: '<html>Sign in</html>' },
        { kind: 'status', status: 404, body: { message: '404 Tree Not Found' } },
      ] as const) {
        gitlab.faults.clear();
        gitlab.faults.add({ url: /\/tree\?/, after: 1, effect });
        await failureOf(listAll(source, projectId, commit));
      }
    });

    it('listTree stops within a response when the caller aborts', async () => {
      gitlab.faults.add({ url: /\/tree\?/, after: 1, effect: { kind: 'stall', afterBytes: 10 } });
      const { source: patient } = await open({ requestTimeoutMs: 60_000 });
      const caller = new AbortController();
      const reading = (async () => {
        for await (const entries of patient.listTree(projectId, commit, caller.signal)) {
          if (entries.length > 0) setTimeout(() => caller.abort(), 20);
        }
      })();
      expect(await failureOf(reading)).toMatchObject({ kind: 'cancelled' });
      expect(patient.usage().requests).toBe(2);
    });
  });

  describe('blobs', () => {
    it.each(Object.entries(CONTENTS))('%s is read byte for byte', async (path, content) => {
      const blob = await source.readBlob(projectId, shaOf(path), 1_000_000, signal());
      expect(blob).toEqual({ kind: 'bytes', bytes: content });
      expect(gitSha(content)).toBe(shaOf(path));
      expect(source.usage()).toEqual({ requests: 1, retries: 0, bytes: content.length });
    });

    it('blobs above the limit are not read', async () => {
      const size = CONTENTS['encodings/bytes.bin']?.length ?? 0;
      const sha = shaOf('encodings/bytes.bin');
      expect(await source.readBlob(projectId, sha, size, signal())).toMatchObject({ kind: 'bytes' });
      const tooLarge = await source.readBlob(projectId, sha, size - 1, signal());
      expect(tooLarge).toEqual({ kind: 'too_large', sizeBytes: size });
      expect(source.usage()).toEqual({ requests: 2, retries: 0, bytes: size });
    });

    it('a missing blob and a missing project give different errors', async () => {
      const missing = await failureOf(source.readBlob(projectId, 'd'.repeat(40), 10, signal()));
      expect(missing).toMatchObject({ kind: 'not_found', code: 'blob_not_found' });
      const orphan = await failureOf(source.readBlob(4711, 'd'.repeat(40), 10, signal()));
      expect(orphan).toMatchObject({ kind: 'not_found', code: 'project_not_found' });
    });

    it('a truncated blob is fetched again, never returned short', async () => {
      gitlab.faults.add({ url: /\/raw$/, times: 1, effect: { kind: 'cut', afterBytes: 100 } });
      const blob = await source.readBlob(projectId, shaOf('encodings/bytes.bin'), 2000, signal());
      expect(blob).toEqual({ kind: 'bytes', bytes: CONTENTS['encodings/bytes.bin'] });
      expect(source.usage().bytes).toBeGreaterThanOrEqual(1024);
      expect(source.usage().requests).toBe(2);
    });
  });

  describe('refused requests', () => {
    const head = (from: Source) => failureOf(from.headOf(projectId, 'main', signal()));

    it('an error names a token that is wrong, expired or absent', async () => {
      const wrong = await head((await open({ defaultToken: 'glpat-of-nobody' })).source);
      expect(wrong).toMatchObject({ kind: 'unauthorized', code: 'source_token_rejected' });
      expect(wrong.message).toContain('GITLAB_TOKEN');
      expect(wrong.message).not.toContain('glpat-of-nobody');
      gitlab.endToken('default', 'expired');
      expect(await head(source)).toMatchObject({ code: 'source_token_rejected' });
      const anonymous = await head((await open({ defaultToken: null })).source);
      expect(anonymous).toMatchObject({ kind: 'not_found', code: 'project_not_found' });
      expect(anonymous.message).toContain('GITLAB_TOKEN');
    });

    it('an error names the missing scope', async () => {
      gitlab.addToken({ name: 'narrow', value: 'glpat-narrow', scopes: ['read_repository'] });
      const narrow = await head((await open({ defaultToken: 'glpat-narrow' })).source);
      expect(narrow).toMatchObject({ kind: 'forbidden', code: 'source_token_scope' });
      expect(narrow.message).toContain('read_api');
    });

    it('an error names the missing role', async () => {
      const project = await gitlab.addProject({
        path: 'group/guests',
        gitDir: fixture.dir,
        roles: { default: 'guest' },
      });
      const denied = await failureOf(source.headOf(project.id, 'main', signal()));
      expect(denied).toMatchObject({ kind: 'forbidden', code: 'source_access_denied' });
      expect(denied.message).toContain('Reporter');
    });

    it('a public project is readable without a token', async () => {
      const project = await gitlab.addProject({
        path: 'open/tide',
        gitDir: fixture.dir,
        visibility: 'public',
      });
      const { source: anonymous } = await open({ defaultToken: null });
      expect(await anonymous.headOf(project.id, 'main', signal())).toMatchObject({ commit });
      expect(gitlab.requests.at(-1)?.token).toBe('absent');
    });
  });

  describe('rate limits', () => {
    it('a rate limit is waited for as long as the server requires', async () => {
      gitlab.faults.add({ times: 1, effect: { kind: 'status', status: 429, retryAfterSeconds: 7 } });
      expect(await source.headOf(projectId, 'main', signal())).toMatchObject({ commit });
      expect(waits[0]).toBeGreaterThan(6000);
      expect(waits[0]).toBeLessThan(8001);
    });

    it('a rate limit that outlasts the retries fails with retryAt', async () => {
      gitlab.settings.rateLimits.api = { requests: 1, periodSeconds: 3600 };
      expect(await source.headOf(projectId, 'main', signal())).toMatchObject({ commit });
      const limited = await failureOf(source.headOf(projectId, 'main', signal()));
      expect(limited).toMatchObject({ kind: 'rate_limited', code: 'source_rate_limited' });
      expect(limited.retryAt?.getTime()).toBeGreaterThan(Date.now());
    });
  });

  describe('redirects to another origin', () => {
    let elsewhere: ScriptedServer;
    beforeEach(async () => {
      elsewhere = await startScriptedServer((_, response) => response.end('taken'));
    });
    afterEach(() => elsewhere.stop());

    it('a redirect to another origin sends no request there', async () => {
      gitlab.faults.add({ effect: { kind: 'redirect', to: elsewhere.url } });
      const sha = shaOf('README.md');
      expect(await failureOf(source.readBlob(projectId, sha, 100, signal()))).toMatchObject({
        code: 'source_redirect_refused',
      });
      expect(await failureOf(listAll(source, projectId, commit))).toMatchObject({
        code: 'source_redirect_refused',
      });
      expect(elsewhere.seen).toEqual([]);
      expect(paths()).toHaveLength(2);
    });
  });
});
