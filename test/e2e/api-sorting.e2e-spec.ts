import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import {
  EXECUTION_SORTS,
  FILE_SORTS,
  type Repository,
  REPOSITORY_SORTS,
  REPOSITORY_STATE_SORTS,
  RepositoryStore,
  SCHEDULE_SORTS,
} from '@core/domain';
import { newRepository } from '../integration/postgres/fixtures.js';
import { type TestApi, startTestApi } from '../support/api-app.js';

let api: TestApi;
let repositories: Repository[];
beforeAll(async () => {
  api = await startTestApi();
  const store = api.get(RepositoryStore);
  repositories = [];
  for (const name of ['b', 'c', 'a'])
    repositories.push(await store.create(newRepository({ projectPath: `group/${name}` })));
});
afterAll(() => api.stop());

const list = (path: string, query: object) =>
  request(api.url)
    .get(`/api/v1/${path}`)
    .query(query)
    .set({ Authorization: api.authorization('viewer') });

describe.each([
  ['executions', EXECUTION_SORTS],
  ['repositories', REPOSITORY_SORTS],
  ['repository-states', REPOSITORY_STATE_SORTS],
  ['schedules', SCHEDULE_SORTS],
  ['files', FILE_SORTS],
])('sort of %s', (what, columns) => {
  const pathOf = () => (what === 'files' ? `repositories/${repositories[0]!.id}/files` : what);

  it('accepts each of its columns, in both directions', async () => {
    for (const sort of columns.flatMap((column) => [column, `-${column}`]))
      expect([sort, (await list(pathOf(), { sort })).status]).toEqual([sort, 200]);
  });

  it.each(['error_message', '+id', '', '--path', 'id; DROP TABLE x', 'constructor', '-__proto__'])(
    'refuses "%s" and names the columns',
    async (sort) => {
      const answer = await list(pathOf(), { sort });
      expect(answer.body).toMatchObject({
        status: 400,
        code: 'validation_failed',
        errors: [{ field: 'sort' }],
      });
      const { errors } = answer.body as { errors: { message: string }[] };
      for (const column of columns) expect(errors[0]?.message).toContain(`${column}, -${column}`);
    },
  );

  it('accepts one order only', async () => {
    const [column] = columns;
    expect((await list(pathOf(), { sort: [column, `-${column}`] })).status).toBe(400);
  });
});

describe('a sorted list', () => {
  const pathsOf = async (query: object) =>
    ((await list('repositories', query)).body as { items: { project_path: string }[] }).items.map(
      ({ project_path: path }) => path,
    );

  it('is ordered by the requested column over all pages, then by age', async () => {
    expect(await pathsOf({})).toEqual(['group/b', 'group/c', 'group/a']);
    expect(await pathsOf({ sort: 'project_path' })).toEqual(['group/a', 'group/b', 'group/c']);
    expect(await pathsOf({ sort: '-project_path', limit: 1, offset: 1 })).toEqual(['group/b']);
    expect(await pathsOf({ sort: '-created_at' })).toEqual(['group/a', 'group/c', 'group/b']);
  });
});
