import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { GenerationStore, type IndexGeneration, type Repository } from '@core/domain';
import { ActivateRebuilds } from '../../apps/server/src/chores/maintain-indexes.js';
import { SearchGateService } from '../../apps/server/src/collections/gate/search-gate.service.js';
import { activeGeneration } from '../support/active-generation.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { storeChunk } from '../support/stored-chunk.js';

const { signal } = new AbortController();
const TIDE = { path: 'tide.md', text: 'The moon draws the tide up the estuary.' };
const KEEL = { path: 'keel.md', text: 'A keel keeps a boat upright in the wind.' };
const QUESTIONS = [
  { question: 'what draws the tide', expected: 'tide.md:2', repository: 'harbour/log' },
  { question: 'what keeps a boat upright', expected: 'keel.md' },
];

let api: TestApi;
let generations: GenerationStore;
let repository: Repository;
let active: IndexGeneration;
let building: IndexGeneration;

const PATH = '/api/v1/collections/sea';
const call = (method: 'get' | 'put' | 'post' | 'delete', path: string, body?: object) => {
  const client = request(api.url);
  const asked = client[method](`${PATH}${path}`);
  return asked.set({ Authorization: api.authorization('admin') }).send(body);
};
const runChore = () => new ActivateRebuilds(generations, api.get(SearchGateService)).run(signal);
const statusOf = async ({ id }: IndexGeneration) =>
  (await generations.list(['sea'])).find((each) => each.id === id)?.status;
const rebuild = () =>
  generations.open('sea', () => ({
    kind: 'make',
    model: { modelId: 'lexical-v1@64', dimensions: 64, modelServer: null },
    status: 'building',
  }));
const complete = ({ id }: IndexGeneration) =>
  api.database.query(
    `INSERT INTO repository_indexes (repository_id, generation_id, last_synced_commit) VALUES ($1, $2, $3)`,
    [repository.id, id, 'c'.repeat(40)],
  );

beforeAll(async () => {
  api = await startTestApi();
  generations = api.get(GenerationStore);
  repository = await api.register({ projectPath: 'harbour/log', collectionName: 'sea' });
  active = await activeGeneration(generations, 'sea');
  for (const file of [TIDE, KEEL]) await storeChunk(api, active, repository, file);
  await complete(active);
  building = await rebuild();
  // The rebuilt index lacks one answer.
  await storeChunk(api, building, repository, TIDE);
});
afterAll(() => api.stop());

describe('the gate of a collection', () => {
  it('is stored, shown, checked and removed', async () => {
    expect((await call('get', '/gate')).body).toMatchObject({ status: 404, code: 'gate_not_found' });
    const gate = { questions: QUESTIONS, max_loss: 0.1 };
    const stored = await call('put', '/gate', gate).expect(200);
    expect(stored.body).toEqual({ ...gate, updated_by: 'test-admin', updated_at: expect.any(String) });
    expect((await call('get', '/gate')).body).toEqual(stored.body);
    for (const wrong of [{ questions: [] }, { ...gate, max_loss: 2 }, { questions: [{ question: 'x' }] }])
      expect((await call('put', '/gate', wrong)).status).toBe(400);
    const unknown = request(api.url).put('/api/v1/collections/unknown/gate').send(gate);
    const answer = await unknown.set({ Authorization: api.authorization('admin') });
    expect(answer.body).toMatchObject({ status: 404, code: 'collection_not_found' });
    const refused = request(api.url).put(`${PATH}/gate`).send(gate);
    expect((await refused.set({ Authorization: api.authorization('operator') })).status).toBe(403);
    await call('delete', '/gate').expect(204);
    await call('delete', '/gate').expect(204);
    expect((await call('get', '/gate')).status).toBe(404);
  });

  it('keeps back a complete index that answers worse, and says by how much', async () => {
    await call('put', '/gate', { questions: QUESTIONS }).expect(200);
    await runChore();
    expect((await call('get', '')).body).toMatchObject({ building: { gate: null } });
    await complete(building);
    expect(await generations.activateIfComplete(building.id)).toBe(false);
    await runChore();
    expect(await statusOf(building)).toBe('building');
    expect((await call('get', '')).body).toMatchObject({
      building: { gate: { is_passed: false, questions: 2, active_ndcg: 1, building_ndcg: 0.5 } },
    });
    const warning = api.logger.lines.find(
      ({ message }) => message === 'rebuilt index is kept back by its gate',
    );
    expect(warning?.fields).toMatchObject({ collection: 'sea', active_ndcg: 1, building_ndcg: 0.5 });
    const answer = await call('post', '/activate').expect(409);
    const body = answer.body as object;
    expect(body).toMatchObject({
      code: 'search_quality_lower',
      active_ndcg10: 1,
      building_ndcg10: 0.5,
      max_loss: 0,
    });
    expect(body).toMatchObject({ detail: expect.stringMatching(/0\.5 instead of 1, a loss of 0\.5.*force/) });
  });

  it('lets an index pass whose loss is allowed, or that answers as well', async () => {
    await call('put', '/gate', { questions: QUESTIONS, max_loss: 0.6 }).expect(200);
    await runChore();
    expect(await statusOf(building)).toBe('active');
    // Back, with a new rebuild that has both answers.
    await generations.activate(active.id);
    await call('put', '/gate', { questions: QUESTIONS }).expect(200);
    const better = await rebuild();
    for (const file of [TIDE, KEEL]) await storeChunk(api, better, repository, file);
    await complete(better);
    await runChore();
    expect(await statusOf(better)).toBe('active');
    await generations.activate(active.id);
  });

  it('is passed over by force, and does not stop a rollback', async () => {
    const worse = await rebuild();
    await storeChunk(api, worse, repository, KEEL);
    await complete(worse);
    await call('post', '/activate').expect(409);
    await call('post', '/activate', { force: true }).expect(200);
    expect(await statusOf(worse)).toBe('active');
    await call('post', '/rollback').expect(200);
    expect(await statusOf(worse)).toBe('retired');
  });
});
