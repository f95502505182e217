import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { createGitRepository } from '../git-fixtures/git-repository.js';
import { type GitLabStandIn, startGitLabStandIn } from './gitlab-stand-in.js';

describe('Listings of the GitLab stand-in', () => {
  let folder: string;
  let gitlab: GitLabStandIn;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'devkit-lists-'));
    const repository = await createGitRepository(join(folder, 'work'));
    await repository.write('a.txt', 'a\n').commit('First');
    await repository.branch('release/1');
    const empty = await createGitRepository(join(folder, 'empty'));
    gitlab = await startGitLabStandIn();
    const add = (id: number, path: string, more = {}) =>
      gitlab.addProject({ id, path, gitDir: repository.directory, ...more });
    await add(1, 'team/one');
    await add(2, 'team/sub/two');
    await gitlab.addProject({ id: 3, path: 'team/empty', gitDir: empty.directory });
    await add(4, 'other/shared', { sharedWith: ['team'] });
    (await add(5, 'team/archived')).archived = true;
    (await add(6, 'team/going')).markedForDeletionOn = '2026-12-01';
    await add(7, 'team/secret', { roles: {} });
    await add(8, 'open/public', { visibility: 'public', roles: {} });
    gitlab.addGroup('hollow');
  });
  afterAll(async () => {
    await gitlab.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function ask(path: string, token: string | null = gitlab.token) {
    const url = path.startsWith('http') ? path : `${gitlab.url}/api/v4${path}`;
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await request(url, { headers });
    const json = (await answer.body.json()) as Record<string, unknown>[];
    return { status: answer.statusCode, headers: answer.headers, json };
  }
  const ids = (rows: Record<string, unknown>[]) => rows.map(({ id }) => id);

  it('list a group with the projects shared with it, newest first, without its subgroups', async () => {
    expect(ids((await ask('/groups/team/projects')).json)).toEqual([6, 5, 4, 3, 1]);
    const deep = await ask(
      '/groups/team/projects?include_subgroups=true&with_shared=false&order_by=id&sort=asc',
    );
    expect(ids(deep.json)).toEqual([1, 2, 3, 5, 6]);
    expect(ids((await ask('/groups/team%2Fsub/projects')).json)).toEqual([2]);
  });

  it('filter by archived and active', async () => {
    const filtered = async (query: string) =>
      ids((await ask(`/groups/team/projects?with_shared=false&${query}`)).json);
    expect(await filtered('archived=false')).toEqual([6, 3, 1]);
    expect(await filtered('archived=true')).toEqual([5]);
    expect(await filtered('active=true')).toEqual([3, 1]);
  });

  it('page a group by number only, and send totals only up to a limit', async () => {
    const first = await ask('/groups/team/projects?per_page=2&pagination=keyset&order_by=id&sort=asc');
    expect(first.headers).toMatchObject({ 'x-page': '1', 'x-next-page': '2', 'x-total': '5' });
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers['link']))?.[1] ?? '';
    expect(ids((await ask(next)).json)).toEqual([4, 5]);
    gitlab.settings.countedRecords = 4;
    const uncounted = await ask('/groups/team/projects?per_page=2');
    gitlab.settings.countedRecords = 10_000;
    expect(uncounted.headers['x-total']).toBeUndefined();
    expect(uncounted.headers['link']).not.toContain('rel="last"');
  });

  it('page the instance by keyset; the last page is empty and has no link', async () => {
    const pages: unknown[][] = [];
    let next: string | undefined = '/projects?pagination=keyset&order_by=id&sort=asc&per_page=4&simple=true';
    while (next !== undefined) {
      const { json, headers } = await ask(next);
      pages.push(ids(json));
      next = /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
    }
    expect(pages).toEqual([[1, 2, 3, 4], [5, 6, 8], []]);
    expect((await ask('/projects?pagination=keyset')).status).toBe(405);
  });

  it('show the projects of the instance that the caller may see, or is a member of', async () => {
    const of = async (query: string, token?: string | null) =>
      ids((await ask(`/projects?order_by=id&sort=asc${query}`, token)).json);
    expect(await of('')).toEqual([1, 2, 3, 4, 5, 6, 8]);
    expect(await of('&membership=true')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await of('', null)).toEqual([8]);
  });

  it('omit in simple entries whether a project is archived or empty', async () => {
    const { json } = await ask('/groups/team/projects?simple=true&with_shared=false');
    expect(json.find(({ id }) => id === 5)).not.toHaveProperty('archived');
    expect(json.find(({ id }) => id === 3)).toMatchObject({ default_branch: 'main' });
    expect(json.find(({ id }) => id === 3)).not.toHaveProperty('empty_repo');
  });

  it('answer the same for a missing group and a hidden one', async () => {
    const refused = { status: 404, json: { message: '404 Group Not Found' } };
    expect(await ask('/groups/nobody/projects')).toMatchObject(refused);
    expect(await ask('/groups/team/projects', null)).toMatchObject(refused);
    expect(await ask('/groups/hollow/projects')).toMatchObject({ status: 200, json: [] });
  });

  it('list branches, and none for an empty project', async () => {
    const names = (await ask('/projects/1/repository/branches')).json.map(({ name }) => name);
    expect(names.sort()).toEqual(['main', 'release/1']);
    expect((await ask('/projects/3/repository/branches')).json).toEqual([]);
  });
});
