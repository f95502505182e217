import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { listTree } from '../git/tree.js';
import { createGitRepository, type GitRepository } from '../git-fixtures/git-repository.js';
import { type GitLabStandIn, startGitLabStandIn } from './gitlab-stand-in.js';

interface Entry {
  id: string;
  name: string;
  type: string;
  path: string;
  mode: string;
}

let folder: string;
let gitlab: GitLabStandIn;
let repository: GitRepository;
let first: string;
let second: string;

const OTHER_COMMIT = '1234567890123456789012345678901234567890';
const LATIN1 = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]);
const ODD_PATH = 'odd/"quoted"\nñame #?%.txt';
const FIXED_FILES = {
  'README.md': '# Demo\n',
  'src/app.ts': 'export const app = 1;\n',
  'data/config.json': '{"a":1}\n',
  'data/latin1.txt': LATIN1,
  'data/picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'data/binary.bin': Buffer.from([0, 1, 2, 3, 255]),
  'data/secret.txt': 'not in archives\n',
  '.gitattributes': 'data/secret.txt export-ignore\n',
  [ODD_PATH]: 'odd\n',
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devkit-gitlab-'));
  repository = await createGitRepository(join(folder, 'work'));
  first = await repository
    .writeAll(FIXED_FILES)
    .write('bin/run', '#!/bin/sh\n', { executable: true })
    .symlink('link', 'README.md')
    .submodule('vendor/lib', OTHER_COMMIT)
    .lfsPointer('big.psd', { oid: 'b'.repeat(64), sizeBytes: 4711 })
    .commit('First\n\nWith a body.');
  for (let index = 0; index < 150; index += 1)
    repository.write(`many/file-${index}.ts`, `export {};// ${index}\n`);
  second = await repository.rename('src/app.ts', 'src/main.ts').delete('data/config.json').commit('Second');
  await repository.branch('feature/slash', first);
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'group/sub/demo', gitDir: repository.directory, id: 42 });
  const empty = await createGitRepository(join(folder, 'empty'));
  await gitlab.addProject({ path: 'group/empty', gitDir: empty.directory });
  gitlab.settings.rateLimits.archive = null;
});

afterAll(async () => {
  await gitlab.stop();
  await rm(folder, { recursive: true, force: true });
});

async function ask(path: string, method: 'GET' | 'HEAD' = 'GET') {
  const url = path.startsWith('http') ? path : `${gitlab.url}/api/v4${path}`;
  const answer = await request(url, { method, headers: { authorization: `Bearer ${gitlab.token}` } });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const json = () => JSON.parse(bytes.toString()) as unknown;
  return { status: answer.statusCode, headers: answer.headers, bytes, json };
}

async function followPages(path: string): Promise<{ entries: Entry[]; pageSizes: number[]; urls: string[] }> {
  const entries: Entry[] = [];
  const pageSizes: number[] = [];
  const urls: string[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    urls.push(next);
    const page = await ask(next);
    const found = page.json() as Entry[];
    entries.push(...found);
    pageSizes.push(found.length);
    next = /<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1];
  }
  return { entries, pageSizes, urls };
}

const TREE = '/projects/42/repository/tree';

describe('projects, branches and commits of the GitLab stand-in', () => {
  it('finds a project by number and by encoded path', async () => {
    const byId = (await ask('/projects/42')).json();
    expect(byId).toMatchObject({
      id: 42,
      path_with_namespace: 'group/sub/demo',
      default_branch: 'main',
      empty_repo: false,
      archived: false,
    });
    expect((await ask('/projects/group%2Fsub%2Fdemo')).json()).toEqual(byId);
    expect((await ask('/projects/group/sub/demo')).json()).toEqual({ error: '404 Not Found' });
  });

  it('shows a branch, also one with a slash', async () => {
    const branch = (await ask('/projects/42/repository/branches/main')).json();
    expect(branch).toMatchObject({
      name: 'main',
      default: true,
      commit: { id: second, parent_ids: [first] },
    });
    const slash = (await ask('/projects/42/repository/branches/feature%2Fslash')).json();
    expect(slash).toMatchObject({ name: 'feature/slash', default: false, commit: { id: first } });
  });

  it('distinguishes an unknown branch from an invalid branch name', async () => {
    const missing = await ask('/projects/42/repository/branches/nope');
    expect([missing.status, missing.json()]).toEqual([404, { message: '404 Branch Not Found' }]);
    const invalid = await ask('/projects/42/repository/branches/--upload-pack');
    expect([invalid.status, invalid.json()]).toEqual([400, { message: 'The branch refname is invalid' }]);
  });

  it('resolves branches, SHAs and HEAD to commits', async () => {
    const url = '/projects/42/repository/commits';
    const commit = (await ask(`${url}/${first}`)).json();
    expect(commit).toMatchObject({
      id: first,
      title: 'First',
      message: 'First\n\nWith a body.',
      author_email: 'devkit@example.com',
      committed_date: '2024-01-01T00:00:00.000+00:00',
      parent_ids: [],
    });
    expect((await ask(`${url}/main?stats=false`)).json()).toMatchObject({ id: second });
    expect((await ask(`${url}/HEAD?stats=false`)).json()).toMatchObject({ id: second });
    expect((await ask(`${url}/${second}`)).json()).toMatchObject({
      stats: { additions: 150, deletions: 1, total: 151 },
    });
    expect((await ask(`${url}/nope`)).json()).toEqual({ message: '404 Commit Not Found' });
  });

  it('answers like GitLab for an empty repository', async () => {
    expect((await ask('/projects/group%2Fempty')).json()).toMatchObject({
      default_branch: null,
      empty_repo: true,
    });
    const tree = await ask('/projects/group%2Fempty/repository/tree?recursive=true');
    expect([tree.status, tree.json()]).toEqual([404, { message: '404 Tree Not Found' }]);
    expect((await ask('/projects/group%2Fempty/repository/branches/main')).status).toBe(404);
  });
});

describe('repository/tree of the GitLab stand-in', () => {
  it('lists the same entries as git with keyset pages, including folders', async () => {
    const { entries, pageSizes } = await followPages(
      `${TREE}?ref=${second}&recursive=true&per_page=100&pagination=keyset`,
    );
    expect(pageSizes[0]).toBe(100);
    const leaves = entries
      .filter(({ type }) => type !== 'tree')
      .map(({ id: sha, type, path, mode }) => ({ path, mode, type, sha }));
    const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
    const expected = await listTree(repository.directory, second);
    expect(leaves.sort(byPath)).toEqual(expected.sort(byPath));
    const folders = entries.filter(({ type }) => type === 'tree');
    expect(folders.map(({ path, mode }) => `${mode} ${path}`).sort()).toEqual(
      ['bin', 'data', 'many', 'odd', 'src', 'vendor'].map((path) => `040000 ${path}`),
    );
    expect(entries.find(({ path }) => path === 'vendor/lib')).toMatchObject({
      type: 'commit',
      mode: '160000',
      id: OTHER_COMMIT,
    });
    expect(entries.find(({ path }) => path === 'link')).toMatchObject({ type: 'blob', mode: '120000' });
  });

  it('has an opaque page token, and an empty last page after a full one', async () => {
    const { pageSizes, urls } = await followPages(
      `${TREE}?ref=${second}&path=many&recursive=true&per_page=50&pagination=keyset`,
    );
    expect(pageSizes).toEqual([50, 50, 50, 0]);
    const token = new URL(urls[1] ?? '').searchParams.get('page_token');
    expect(token).not.toBeNull();
    expect(token).not.toContain('file-');
    const forged = await ask(`${TREE}?ref=${second}&pagination=keyset&page_token=file-1.ts`);
    expect(forged.status).toBe(422);
  });

  it('limits per_page to 100 without an error; the default is 20', async () => {
    const big = await ask(`${TREE}?ref=${second}&path=many&per_page=500&pagination=keyset`);
    expect(big.json()).toHaveLength(100);
    const usual = await ask(`${TREE}?ref=${second}&path=many`);
    expect(usual.json()).toHaveLength(20);
    expect((await ask(`${TREE}?per_page=many`)).json()).toEqual({ error: 'per_page is invalid' });
  });

  it('pages by number when keyset is not supported, with the same Link header', async () => {
    gitlab.settings.keysetSupported = false;
    try {
      const path = `${TREE}?ref=${second}&path=many&recursive=true&per_page=60&pagination=keyset`;
      const { entries, pageSizes, urls } = await followPages(path);
      expect(pageSizes).toEqual([60, 60, 30]);
      expect(new Set(entries.map(({ path: own }) => own)).size).toBe(150);
      expect(urls[1]).not.toContain('page_token');
      const { headers } = await ask(path);
      expect(headers).toMatchObject({
        'x-next-page': '2',
        'x-page': '1',
        'x-total': '150',
        'x-total-pages': '3',
      });
      expect((await ask(`${path}&page=3`)).headers['x-next-page']).toBe('');
    } finally {
      gitlab.settings.keysetSupported = true;
    }
  });

  it('lists the whole tree only with recursive', async () => {
    const whole = await ask(`${TREE}?ref=${second}&recursive=true&pagination=none`);
    expect((whole.json() as Entry[]).length).toBeGreaterThan(150);
    expect(whole.headers.link).toBeUndefined();
    expect((await ask(`${TREE}?ref=${second}&pagination=none`)).status).toBe(400);
  });

  it('lists one level without recursive', async () => {
    const root = (await ask(`${TREE}?ref=${first}`)).json() as Entry[];
    expect(root.map(({ path }) => path).sort()).toEqual(
      ['.gitattributes', 'README.md', 'big.psd', 'bin', 'data', 'link', 'odd', 'src', 'vendor'].sort(),
    );
    const inner = (await ask(`${TREE}?ref=${first}&path=src`)).json() as Entry[];
    expect(inner.map(({ path, name }) => [path, name])).toEqual([['src/app.ts', 'app.ts']]);
  });

  it('answers 404 for an unknown ref and an unknown folder', async () => {
    expect((await ask(`${TREE}?ref=nope`)).json()).toEqual({ message: '404 Tree Not Found' });
    const missing = (await ask(`${TREE}?ref=${first}&path=nope`)).json();
    expect(missing).toEqual({ message: '404 invalid revision or path Not Found' });
  });
});

describe('blobs and files of the GitLab stand-in', () => {
  it('returns every blob of the tree unchanged', async () => {
    const tree = await listTree(repository.directory, first);
    for (const { sha, type } of tree) {
      const answer = await ask(`/projects/42/repository/blobs/${sha}/raw`);
      if (type === 'commit') expect(answer.json()).toEqual({ message: '404 Blob Not Found' });
      else expect(gitBlobSha(answer.bytes)).toBe(sha);
    }
  });

  it('returns a blob as base64 in JSON', async () => {
    const sha = gitBlobSha(LATIN1);
    expect((await ask(`/projects/42/repository/blobs/${sha}`)).json()).toEqual({
      size: LATIN1.length,
      encoding: 'base64',
      content: LATIN1.toString('base64'),
      sha,
    });
    expect((await ask('/projects/42/repository/blobs/nope')).status).toBe(404);
  });

  it('declares all text as UTF-8, and binary formats that it recognises by their type', async () => {
    const typeOf = async (path: string) =>
      (await ask(`/projects/42/repository/files/${encodeURIComponent(path)}/raw?ref=${first}`)).headers[
        'content-type'
      ];
    expect(await typeOf('data/latin1.txt')).toBe('text/plain; charset=utf-8');
    expect(await typeOf('data/config.json')).toBe('text/plain; charset=utf-8');
    expect(await typeOf('data/picture.svg')).toBe('image/svg+xml');
    expect(await typeOf('data/binary.bin')).toBe('application/octet-stream');
  });

  it('shows a file with its metadata, in JSON and in headers', async () => {
    const url = `/projects/42/repository/files/${encodeURIComponent(ODD_PATH)}`;
    const file = (await ask(`${url}?ref=main`)).json();
    const sha = gitBlobSha(Buffer.from('odd\n'));
    expect(file).toMatchObject({
      file_path: ODD_PATH,
      size: 4,
      content: Buffer.from('odd\n').toString('base64'),
      content_sha256: createHash('sha256').update('odd\n').digest('hex'),
      ref: 'main',
      blob_id: sha,
      commit_id: second,
      last_commit_id: first,
      execute_filemode: false,
    });
    const head = await ask(`${url}?ref=main`, 'HEAD');
    expect(head.bytes).toHaveLength(0);
    expect(head.headers).toMatchObject({ 'x-gitlab-blob-id': sha, 'x-gitlab-last-commit-id': first });
    const raw = await ask(`${url}/raw?ref=main`);
    expect(raw.bytes.toString()).toBe('odd\n');
    expect(raw.headers).toMatchObject({ 'x-gitlab-size': '4', 'x-gitlab-commit-id': second });
  });

  it('returns the pointer of an LFS file, and the target of a symlink', async () => {
    const pointer = await ask(`/projects/42/repository/files/big.psd/raw?ref=main`);
    expect(pointer.bytes.toString()).toContain('version https://git-lfs.github.com/spec/v1\n');
    expect((await ask(`/projects/42/repository/files/link/raw?ref=main`)).bytes.toString()).toBe('README.md');
  });

  it('names the missing object in a 404', async () => {
    const file = (path: string) => ask(`/projects/42/repository/files/${path}`);
    expect((await file('nope?ref=main')).json()).toEqual({ message: '404 File Not Found' });
    expect((await file('vendor%2Flib?ref=main')).json()).toEqual({ message: '404 File Not Found' });
    expect((await file('README.md?ref=nope')).json()).toEqual({ message: '404 Commit Not Found' });
    expect((await file('README.md')).json()).toEqual({ error: 'ref is missing' });
    expect((await file('a%2F..%2FREADME.md?ref=main')).status).toBe(400);
  });
});

describe('repository/compare of the GitLab stand-in', () => {
  const compare = async (query: string) => ask(`/projects/42/repository/compare?${query}`);

  it('names every changed path once', async () => {
    const answer = (await compare(`from=${first}&to=${second}&straight=true`)).json() as Comparison;
    expect(answer).toMatchObject({ compare_timeout: false, compare_same_ref: false, commit: { id: second } });
    expect(answer.commits.map(({ id }) => id)).toEqual([second]);
    expect(answer.diffs).toHaveLength(152);
    const renamed = answer.diffs.find(({ renamed_file: isRenamed }) => isRenamed);
    expect(renamed).toMatchObject({ old_path: 'src/app.ts', new_path: 'src/main.ts', diff: '' });
    const deleted = answer.diffs.find(({ deleted_file: isDeleted }) => isDeleted);
    expect(deleted).toMatchObject({ old_path: 'data/config.json', diff: '@@ -1 +0,0 @@\n-{"a":1}\n' });
    const added = answer.diffs.find(({ new_path: path }) => path === 'many/file-7.ts');
    expect(added).toMatchObject({
      new_file: true,
      b_mode: '100644',
      diff: '@@ -0,0 +1 @@\n+export {};// 7\n',
    });
  });

  it('keeps patches with their paths when a file becomes a symlink', async () => {
    await repository.checkout('types');
    const from = await repository.writeAll({ a: 'one\n', b: 'two\n', c: 'three\n' }).commit();
    const to = await repository
      .symlink('a', 'b')
      .write('c', 'four\n')
      .write('b', 'two\n', { executable: true })
      .commit();
    await repository.checkout('main');
    const { diffs } = (await compare(`from=${from}&to=${to}&straight=true`)).json() as Comparison;
    expect(diffs).toMatchObject([
      { new_path: 'a', a_mode: '100644', b_mode: '120000' },
      { new_path: 'b', a_mode: '100644', b_mode: '100755', diff: '' },
      { new_path: 'c', diff: '@@ -1 +1 @@\n-three\n+four\n' },
    ]);
  });

  it('compares with the merge base unless straight', async () => {
    await repository.checkout('feature/slash');
    const other = await repository.write('only-here', '1').commit();
    await repository.checkout('main');
    const base = (await compare(`from=${second}&to=${other}`)).json() as Comparison;
    expect(base.diffs.map(({ new_path: path }) => path)).toEqual(['only-here']);
    const straight = (await compare(`from=${second}&to=${other}&straight=true`)).json() as Comparison;
    expect(straight.diffs).toHaveLength(153);
  });

  it('truncates beyond the limit and reports it only in compare_timeout', async () => {
    gitlab.settings.diffLimits.maxFiles = 100;
    const answer = (await compare(`from=${first}&to=${second}&straight=true`)).json() as Comparison;
    gitlab.settings.diffLimits.maxFiles = 1000;
    expect(answer.compare_timeout).toBe(true);
    expect(answer.diffs).toHaveLength(100);
  });

  it('answers 404 for a commit that no longer exists', async () => {
    const answer = await compare(`from=${'f'.repeat(40)}&to=main&straight=true`);
    expect([answer.status, answer.json()]).toEqual([404, { message: '404 Ref Not Found' }]);
    expect((await compare('from=main')).json()).toEqual({ error: 'to is missing' });
  });
});

interface Comparison {
  commits: { id: string }[];
  compare_timeout: boolean;
  diffs: {
    old_path: string;
    new_path: string;
    new_file: boolean;
    renamed_file: boolean;
    deleted_file: boolean;
    diff: string;
  }[];
}

describe('repository/archive of the GitLab stand-in', () => {
  const url = '/projects/42/repository/archive';

  it.each([
    ['tar.gz', 'tzf'],
    ['tar', 'tf'],
  ])('streams a %s under one top folder, without what export-ignore names', async (format, flags) => {
    const answer = await ask(`${url}.${format}?sha=${first}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-length']).toBeUndefined();
    const names = execFileSync('tar', [flags, '-', '--quoting-style=literal'], {
      input: answer.bytes,
    }).toString();
    const paths = names.split('\n').filter((name) => name !== '');
    expect(new Set(paths.map((path) => path.split('/')[0])).size).toBe(2); // One path contains a line break and splits into two.
    expect(paths.some((path) => path.endsWith('/README.md'))).toBe(true);
    expect(names).not.toContain('secret.txt');
  });

  it('can be limited to a folder, and can exclude folders', async () => {
    const list = async (query: string) =>
      execFileSync('tar', ['tzf', '-'], {
        input: (await ask(`${url}.tar.gz?sha=${first}&${query}`)).bytes,
      }).toString();
    expect(await list('path=src')).toContain('/src/app.ts');
    expect(await list('path=src')).not.toContain('README.md');
    expect(await list('exclude_paths=data,odd,nope')).not.toContain('/data/');
  });

  it('answers 404 File when the ref or folder does not exist', async () => {
    for (const query of ['sha=nope', 'path=nope']) {
      expect((await ask(`${url}.tar.gz?${query}`)).json()).toEqual({ message: '404 File Not Found' });
    }
  });

  it('refuses requests that look like embedded resources, e.g. fetch in its default mode', async () => {
    const headers = { authorization: `Bearer ${gitlab.token}` };
    const refused = await fetch(`${gitlab.url}/api/v4${url}.tar.gz`, { headers });
    expect([refused.status, await refused.json()]).toEqual([406, { message: '406 Not Acceptable' }]);
    const taken = await fetch(`${gitlab.url}/api/v4${url}.tar.gz`, { headers, mode: 'same-origin' });
    expect(taken.status).toBe(200);
    await taken.arrayBuffer();
  });
});

describe('GraphQL of the GitLab stand-in', () => {
  const QUERY = `query Blobs($path: ID!, $paths: [String!]!, $ref: String) {
    project(fullPath: $path) { repository { blobs(paths: $paths, ref: $ref, first: 100) {
      nodes { path oid size rawSize lfsOid text: rawTextBlob } pageInfo { hasNextPage }
    } } }
  }`;

  async function query(text: string, variables: object) {
    const { body } = await request(`${gitlab.url}/api/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gitlab.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables }),
    });
    return (await body.json()) as { data?: { project: unknown }; errors?: { message: string }[] };
  }

  it('reads several blobs at once and leaves missing paths out', async () => {
    const paths = ['README.md', 'data/binary.bin', 'big.psd', 'nope', ODD_PATH, 'vendor/lib'];
    const answer = await query(QUERY, { path: 'group/sub/demo', paths, ref: first });
    const oid = (content: string | Buffer) => gitBlobSha(Buffer.from(content));
    expect(answer).toMatchObject({
      data: {
        project: {
          repository: {
            blobs: {
              nodes: [
                {
                  path: 'README.md',
                  oid: oid('# Demo\n'),
                  size: '7',
                  rawSize: '7',
                  lfsOid: null,
                  text: '# Demo\n',
                },
                { path: 'data/binary.bin', oid: oid(FIXED_FILES['data/binary.bin']), text: null },
                { path: 'big.psd', lfsOid: 'b'.repeat(64), rawSize: '4711' },
                { path: ODD_PATH, text: 'odd\n' },
              ],
              pageInfo: { hasNextPage: false },
            },
          },
        },
      },
    });
  });

  it('finds projects by path only, and answers null for hidden ones', async () => {
    expect(await query(QUERY, { path: '42', paths: ['a'], ref: first })).toEqual({ data: { project: null } });
  });

  it('reports in a 200 that a query is too complex, invalid or malformed', async () => {
    const paths = Array.from({ length: 250 }, (_, index) => `many/file-${index}.ts`);
    const complex = await query(QUERY, { path: 'group/sub/demo', paths, ref: second });
    expect(complex.errors?.[0]?.message).toMatch(
      /^Query has complexity of \d+, which exceeds max complexity of 250$/,
    );
    const unknown = await query('{ project(fullPath: "group/sub/demo") { nope } }', {});
    expect(unknown.errors?.[0]?.message).toBe("Field 'nope' doesn't exist on type 'Project'");
    expect((await query('{ project(', {})).errors?.[0]?.message).toMatch(/^Parse error/);
  });

  it('limits a connection to one page and reports that there is a next one', async () => {
    gitlab.settings.graphql.maxComplexity = 1000;
    const paths = Array.from({ length: 120 }, (_, index) => `many/file-${index}.ts`);
    const answer = await query(QUERY, { path: 'group/sub/demo', paths, ref: second });
    expect(answer).toMatchObject({
      data: { project: { repository: { blobs: { pageInfo: { hasNextPage: true } } } } },
    });
  });
});

function gitBlobSha(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
