import { checkConnectionBudget, PodRegistry } from '@adapters/postgres';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { recordingLogger } from '../../support/recording-logger.js';
import { openStores, type Stores } from './fixtures.js';

let stores: Stores;
let places: number;

beforeAll(async () => {
  stores = await openStores();
  const [row] = await stores.db.query<{ places: number }>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS places`,
  );
  places = row!.places;
});
afterAll(() => stores.close());

async function warningsWith(poolSize: number): Promise<string[]> {
  const logger = recordingLogger();
  await checkConnectionBudget(stores.db, poolSize, logger);
  return logger.lines;
}

it('a pod warns at its start when its connections and those of the other pods exceed the limit of Postgres', async () => {
  const all = places - 2;
  expect(await warningsWith(all)).toEqual([]);
  expect(await warningsWith(all + 1)).toEqual([
    expect.stringMatching(/1 pods .*max_connections.*WORKER_CONCURRENCY/),
  ]);
  const pods = new PodRegistry(stores.db);
  const pod = {
    podName: 'other',
    roles: ['worker' as const],
    version: '1',
    mode: 'distributed',
    modelId: null,
  };
  await pods.showLife({ ...pod, bootId: '6f1cbb58-3c3b-4f3c-9a52-0d6b6f3b2a11' });
  expect(await warningsWith(all)).toEqual([expect.stringMatching(/^.*2 pods/)]);
});
