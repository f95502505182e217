import { randomUUID } from 'node:crypto';
import { createEmbeddedVectorStore, type Database } from '@adapters/postgres';
import { createQdrantStore } from '@adapters/qdrant';
import { type VectorStore } from '@core/domain';
import { startQdrantDouble } from '@devkit';
import { silentLogger } from './silent-logger.js';

export const VECTOR_STORES = ['embedded', 'qdrant'] as const;
export type VectorStoreKind = (typeof VECTOR_STORES)[number];

export interface TestVectorStore {
  store: VectorStore;
  /** The public name of the collection, unique to this test, also on a shared server. */
  collection: string;
  /** @throws when the double met a request or an answer that does not match Qdrant's API. */
  close(): Promise<void>;
}

/**
 * The vector store of one test: its own Postgres or Qdrant. Qdrant is the double, which checks everything against Qdrant's API
 * description, or the server of `TEST_QDRANT_URL`. `TEST_VECTOR_STORE` decides when the test does not.
 */
export async function openVectorStore(
  database: Database,
  kind: VectorStoreKind = process.env['TEST_VECTOR_STORE'] === 'qdrant' ? 'qdrant' : 'embedded',
): Promise<TestVectorStore> {
  const logger = silentLogger;
  if (kind === 'embedded') {
    const store = createEmbeddedVectorStore(database, { logger });
    return { store, collection: 'code', close: () => Promise.resolve() };
  }
  const serverUrl = process.env['TEST_QDRANT_URL'];
  return serverUrl ? onServer(serverUrl) : onDouble();
}

interface CollectionList {
  result: { collections: { name: string }[] };
}

async function onServer(url: string): Promise<TestVectorStore> {
  const collection = `repotide-test-${randomUUID()}`;
  return {
    store: createQdrantStore({ url, logger: silentLogger }),
    collection,
    close: async () => {
      const listed = (await (await fetch(`${url}/collections`)).json()) as CollectionList;
      for (const { name } of listed.result.collections) {
        if (!name.startsWith(`${collection}--`)) continue;
        const answer = await fetch(`${url}/collections/${name}`, { method: 'DELETE' });
        if (!answer.ok) throw new Error(`Qdrant answered ${answer.status} to the removal of ${name}.`);
      }
    },
  };
}

async function onDouble(): Promise<TestVectorStore> {
  const double = await startQdrantDouble();
  return {
    store: createQdrantStore({ url: double.url, logger: silentLogger }),
    collection: 'code',
    close: async () => {
      await double.close();
      const { violations } = double;
      if (violations.length > 0) throw new Error(`Not as Qdrant's API has it: ${violations.join('; ')}`);
    },
  };
}
