import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { Embedders, GenerationStore } from '@core/domain';
import { type TestApi, startTestApi } from '../support/api-app.js';

let api: TestApi;
const ready = () => request(api.url).get('/health/ready');
const live = () => request(api.url).get('/health/live');
const viewer = () => ({ Authorization: api.authorization('viewer') });
const UP = { status: 'up', error_code: null };

beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

describe('a service without the vector store', () => {
  beforeEach(async () => {
    await api.register({ projectPath: 'shop/cart' });
    // The state after a first sync. Without an index, a search does not call the vector store.
    const { configured, server: modelServer } = api.get(Embedders);
    const { id: modelId, dimensions } = configured.model;
    await api.get(GenerationStore).open('repotide', () => ({
      kind: 'make',
      model: { modelId, dimensions, modelServer },
      status: 'active',
    }));
    await api.qdrant.close();
  });

  it('is ready for the API, says that its worker is paused, and names the vector store', async () => {
    const answer = await ready();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      checks: {
        database: UP,
        vector_store: { status: 'down', error_code: 'vector_store_unavailable' },
        locks: UP,
      },
      roles: [
        { role: 'api', status: 'ready', waits_for: [] },
        { role: 'scheduler', status: 'ready', waits_for: [] },
        { role: 'worker', status: 'paused', waits_for: ['vector_store'] },
      ],
    });
    await live().expect(200);
  });

  it('answers a search with 503 and still answers lists', async () => {
    const search = await request(api.url).post('/api/v1/search').set(viewer()).send({ query: 'cart' });
    expect(search.body).toMatchObject({ status: 503, code: 'vector_store_unavailable' });
    await request(api.url).get('/api/v1/repositories').set(viewer()).expect(200);
  });
});

describe('a service without the database', () => {
  beforeEach(() => api.database.close());

  it('is alive, not ready, and names the database', async () => {
    const answer = await ready();
    expect(answer.status).toBe(503);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body).toMatchObject({
      code: 'not_ready',
      checks: { database: { status: 'down' }, vector_store: UP },
      roles: [
        { role: 'api', status: 'paused', waits_for: ['database'] },
        { role: 'scheduler', status: 'paused', waits_for: ['database'] },
        { role: 'worker', status: 'paused', waits_for: ['database'] },
      ],
    });
    await live().expect(200);
  });

  it('refuses every request', async () => {
    const answer = await request(api.url).get('/api/v1/repositories').set(viewer());
    expect(answer.status).toBe(503);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });
});
