export { connectDatabase, type Database, type DatabaseOptions, type Queryable } from './database.js';
export { isUniqueViolation, SQLSTATE, sqlStateOf } from './database-error.js';
export { type MigrationClass, MIGRATIONS } from './migrations/index.js';
export {
  assertSchemaCurrent,
  migrate,
  type MigrateOptions,
  schemaStatus,
  type SchemaStatus,
} from './schema.js';
export { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-server/index.js';
export { createEmbeddedVectorStore, type EmbeddedVectorStoreOptions } from './embedded-vectors/index.js';
export { createEmbeddingCache } from './embedding-cache.js';
export { createExecutionStore } from './execution-store.js';
export { createManifestStore } from './manifest-store.js';
export { createRepositoryStore } from './repository-store.js';
export { createScheduleStore } from './schedule-store.js';
export { createTokenStore } from './token-store.js';
