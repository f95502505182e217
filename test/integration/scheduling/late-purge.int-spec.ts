import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addRepository, openStores, type Stores } from '../postgres/fixtures.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

it('a late writer that reports itself after its repository was purged has it purged again', async () => {
  const { repositories, manifest } = stores;
  const { id } = await addRepository(stores);
  await repositories.softDelete(id);
  await repositories.markPurged(id);
  expect(await repositories.listUnpurged()).toEqual([]);
  // A holder that stood still with points on their way: they arrived after the purge.
  await manifest.flagSuspect(id);
  expect(await repositories.listUnpurged()).toMatchObject([{ id }]);
});
