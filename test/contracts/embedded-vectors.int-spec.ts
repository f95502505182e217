import { connectDatabase, createEmbeddedVectorStore } from '@adapters/postgres';
import { createTestDatabase } from '../support/postgres.js';
import { silentLogger } from '../support/silent-logger.js';
import { vectorStoreContract, type VectorStoreUnderTest } from './vector-store.contract.js';

async function inPostgres(): Promise<VectorStoreUnderTest> {
  const testDatabase = await createTestDatabase();
  const database = await connectDatabase({ url: testDatabase.url, logger: silentLogger });
  return {
    store: createEmbeddedVectorStore(database, { logger: silentLogger }),
    isFenced: true,
    hasAliases: false,
    dropCollection: async (name) => {
      await database.query('DELETE FROM vector_collections WHERE name = $1', [name]);
    },
    close: async () => {
      await database.close();
      await testDatabase.drop();
    },
  };
}

vectorStoreContract('embedded, in Postgres', inPostgres);
