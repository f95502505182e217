import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addRepository, openStores, type Stores } from '../postgres/fixtures.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

it('a repository is purged again when a late writer reports itself after the purge', async () => {
  const { repositories, manifest } = stores;
  const { id } = await addRepository(stores);
  await repositories.softDelete(id);
  await repositories.markPurged(id);
  expect(await repositories.listUnpurged()).toEqual([]);
  // A holder that stopped responding during a write: its points arrived after the purge.
  await manifest.flagSuspect(id);
  expect(await repositories.listUnpurged()).toMatchObject([{ id }]);
});
