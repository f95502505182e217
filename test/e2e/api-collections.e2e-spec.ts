import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { GenerationStore, type IndexGeneration, VectorStore } from '@core/domain';
import { attempt } from '../../apps/server/src/chores/chore.js';
import {
  ActivateRebuilds,
  DropRetiredIndexes,
  PointAliases,
} from '../../apps/server/src/chores/maintain-indexes.js';
import { SearchGateService } from '../../apps/server/src/collections/gate/search-gate.service.js';
import { activeGeneration } from '../support/active-generation.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { DIMENSIONS, makeFile } from '../support/points.js';

const FORMER = { modelId: 'former@8', dimensions: DIMENSIONS, modelServer: null };
const { signal } = new AbortController();

interface CollectionBody {
  active: { id: string; model_id: string };
  building: { id: string; repositories_done: number } | null;
  retired: { id: string; drop_at: string }[];
}

let api: TestApi;
let generations: GenerationStore;
let former: IndexGeneration;

const client = () => request(api.app.getHttpServer() as Parameters<typeof request>[0]);
const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
  const url = `/api/v1/collections${path}`;
  const asked = method === 'GET' ? client().get(url) : client().post(url).send(body);
  const answer = await asked.set({ Authorization: api.authorization('admin') });
  return { status: answer.status, body: answer.body as CollectionBody & { code?: string } };
};
async function makeCollection(name: string, size: number): Promise<void> {
  const answer = await fetch(`${api.qdrant.url}/collections/${name}`, {
    method: 'PUT',
    body: JSON.stringify({ vectors: { size, distance: 'Cosine' } }),
  });
  expect(answer.status).toBe(200);
}
async function maintainIndexes(): Promise<void> {
  const vectors = api.get(VectorStore);
  const chores = [
    new ActivateRebuilds(generations, api.get(SearchGateService)),
    new PointAliases(generations, vectors),
    new DropRetiredIndexes(api.logger, generations, vectors),
  ];
  for (const chore of chores) await attempt(api.logger, chore.name, () => chore.run(signal));
}

beforeAll(async () => {
  api = await startTestApi();
  generations = api.get(GenerationStore);
  await api.register({ projectPath: 'shop/cart', collectionName: 'code' });
  former = await activeGeneration(generations, 'code', FORMER);
  const vectors = api.get(VectorStore);
  await vectors.ensureCollection({ name: former.physicalName, ...FORMER }, signal);
  await vectors.upsert(former.physicalName, makeFile({}, 3), signal);
});
afterAll(() => api.stop());

describe('a registration', () => {
  it('names a collection that was made beforehand: accepted when it fits, else refused', async () => {
    const register = () =>
      client()
        .post('/api/v1/repositories')
        .set({ Authorization: api.authorization('admin') })
        .send({ project_path: 'shop/cart', collection_name: 'made-before' });
    await makeCollection('made-before', DIMENSIONS);
    const answer = await register();
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({
      status: 409,
      body: { code: 'collection_mismatch', found_dimensions: DIMENSIONS, expected_dimensions: 384 },
    });
    await api.get(VectorStore).dropCollection('made-before', signal);
    await makeCollection('made-before', 384);
    // The registration goes on to GitLab, which is not there in this test.
    expect(await register()).toMatchObject({ body: { code: 'source_unavailable' } });
    await api.get(VectorStore).dropCollection('made-before', signal);
  });
});

describe('a collection', () => {
  it('is shown with its model; an unknown one answers 404', async () => {
    // No server for this model is configured, so nothing is known about the length of its chunks.
    const active = { id: former.id, model_id: 'former@8', dimensions: DIMENSIONS, chunk_size: null };
    const shown = { name: 'code', active, building: null, retired: [] };
    expect((await ask('GET', '')).body).toMatchObject({ total: 1, items: [shown] });
    expect((await ask('GET', '/code')).body).toMatchObject(shown);
    for (const name of ['unknown', 'a%00b']) {
      expect(await ask('GET', `/${name}`)).toMatchObject({
        status: 404,
        body: { code: 'collection_not_found' },
      });
      expect(await ask('POST', `/${name}/reindex`)).toMatchObject({ status: 404 });
    }
  });

  it('gets its alias in the vector store from the maintenance of indexes, also after it was removed by hand', async () => {
    await maintainIndexes();
    expect(api.qdrant.aliases()).toEqual({ code: former.physicalName });
  });

  it('refuses rollback and activation while it has one index', async () => {
    const refused = { status: 409, body: { code: 'nothing_to_roll_back_to' } };
    expect(await ask('POST', '/code/rollback')).toMatchObject(refused);
    expect(await ask('POST', '/code/activate')).toMatchObject({ body: { code: 'nothing_to_activate' } });
  });

  it('is rebuilt once for the configured model', async () => {
    const { status, body } = await ask('POST', '/code/reindex');
    expect({ status, body }).toMatchObject({ status: 202, body: { queued: 1, busy: 0 } });
    expect(await ask('POST', '/code/reindex')).toMatchObject({ body: { queued: 0, busy: 1 } });
    expect((await ask('GET', '/code')).body).toMatchObject({
      active: { id: former.id },
      building: { model_id: 'lexical-v1@384', chunk_size: 7000, repositories_done: 0, files_failed: 0 },
    });
  });

  it('is switched to an incomplete index only by force, and can be switched back', async () => {
    const refused = { status: 409, body: { code: 'rebuild_incomplete' } };
    expect(await ask('POST', '/code/activate')).toMatchObject(refused);
    const { body } = await ask('POST', '/code/activate', { force: true });
    expect(body).toMatchObject({ active: { model_id: 'lexical-v1@384' }, retired: [{ id: former.id }] });
    expect(await ask('POST', '/code/rollback')).toMatchObject({
      status: 200,
      body: { collection: { active: { id: former.id }, building: null }, repositories_behind: 0 },
    });
  });

  it('keeps its active index when the maintenance of indexes drops retired ones', async () => {
    const { retired } = (await ask('GET', '/code')).body;
    const [left] = (await generations.list(['code'])).filter(({ id }) => id === retired[0]!.id);
    const spec = { name: left!.physicalName, dimensions: 384, modelId: left!.modelId };
    await api.get(VectorStore).ensureCollection(spec, signal);
    await maintainIndexes();
    expect(api.qdrant.collectionNames().sort()).toEqual([former.physicalName, left!.physicalName].sort());
    await api.database.query(`UPDATE index_generations SET retired_at = retired_at - interval '73 hours',
      used_at = used_at - interval '73 hours'`);
    api.qdrant.plan({ operation: 'delete_collection', kind: 'status', status: 400, error: 'not now' });
    await maintainIndexes();
    expect((await ask('GET', '/code')).body.retired).toEqual([]);
    expect(api.qdrant.collectionNames()).toHaveLength(2);
    await maintainIndexes();
    expect(api.qdrant.collectionNames()).toEqual([former.physicalName]);
    expect(api.qdrant.collection('code')?.points).toHaveLength(3);
  });
});
