import { expect } from '@jest/globals';
import { createQdrantStore } from '@adapters/qdrant';
import { startQdrantDouble, type QdrantDoubleOptions } from '@devkit';
import { silentLogger } from '../support/silent-logger.js';
import { vectorStoreContract, type VectorStoreUnderTest } from './vector-store.contract.js';

async function againstDouble({
  isFenced,
  ...options
}: QdrantDoubleOptions & { isFenced: boolean }): Promise<VectorStoreUnderTest> {
  const double = await startQdrantDouble(options);
  return {
    store: createQdrantStore({ url: double.url, logger: silentLogger }),
    isFenced,
    hasAliases: true,
    dropCollection: (name) => dropCollection(double.url, name),
    close: async () => {
      await double.close();
      expect(double.violations).toEqual([]);
    },
  };
}

async function againstServer(url: string): Promise<VectorStoreUnderTest> {
  const { version } = (await (await fetch(url)).json()) as { version: string };
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return {
    store: createQdrantStore({ url, logger: silentLogger }),
    hasAliases: true,
    isFenced: major > 1 || minor >= 16,
    dropCollection: (name) => dropCollection(url, name),
    close: () => Promise.resolve(),
  };
}

async function dropCollection(url: string, name: string): Promise<void> {
  const answer = await fetch(`${url}/collections/${name}`, { method: 'DELETE' });
  expect(answer.status).toBeLessThan(500);
}

vectorStoreContract('Qdrant 1.18 (double)', () => againstDouble({ version: '1.18.0', isFenced: true }));
vectorStoreContract('Qdrant 1.12 (double)', () => againstDouble({ version: '1.12.0', isFenced: false }));
vectorStoreContract('Qdrant without facets (double)', () =>
  againstDouble({ refusesFacets: true, isFenced: true }),
);
vectorStoreContract('Qdrant with small limits of strict mode (double)', () =>
  againstDouble({
    strictMode: {
      max_query_limit: 50,
      search_allow_exact: false,
      search_max_batchsize: 1,
      upsert_max_batchsize: 40,
      max_payload_index_count: 7,
      filter_max_conditions: 12,
      condition_max_size: 3,
      unindexed_filtering_retrieve: false,
      unindexed_filtering_update: false,
    },
    isFenced: true,
  }),
);

const serverUrl = process.env.TEST_QDRANT_URL;
if (serverUrl) vectorStoreContract('Qdrant server', () => againstServer(serverUrl));
