export { ApiTokens } from './access/api-tokens.js';
export { ScopedRepositories, type RepositoryPart, type ScopedProject } from './access/scoped-repositories.js';
export { UserSessions } from './access/user-sessions.js';
export { AuditLog } from './access/audit-log.js';
export { PodRegistry } from './access/pod-registry.js';
export { createAdvisoryLeaseManager } from './advisory-lease/advisory-lease-manager.js';
export { CredentialStore } from './credentials/credential-store.js';
export { createBudgetStore } from './schedules/budget-store.js';
export { checkConnectionBudget } from './sql/connection-budget.js';
export { type ConnectionTarget } from './sql/connection-target.js';
export { connectDatabase, type Database } from './sql/database.js';
export { MIGRATIONS } from './migrations/index.js';
export { assertSchemaCurrent, migrate, schemaStatus } from './migrations/schema.js';
export { createDiscoveryStore } from './discovery/discovery-store.js';
export { EventWebhooks } from './event-webhooks/event-webhooks.js';
export { EventDeliveries, type ClaimedDelivery } from './event-webhooks/event-deliveries.js';
export {
  findRunningServer,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from './embedded-server/embedded-postgres.js';
export { createEmbeddedVectorStore } from './embedded-vectors/embedded-vector-store.js';
export { readInstallation } from './installation.js';
export { createGenerationStore } from './generations/generation-store.js';
export { SearchGates } from './generations/search-gates.js';
export { PostgresHistory } from './history/history.js';
export { createEmbeddingCache, EmbeddingCacheEvictor } from './embedded-vectors/embedding-cache.js';
export { createModelRegistry } from './embedded-vectors/model-registry.js';
export { ExecutionArchive } from './executions/execution-archive.js';
export { createExecutionStore } from './executions/execution-store.js';
export { ListeningHints } from './hints.js';
export { createManifestStore } from './manifest/manifest-store.js';
export { PostgresProgressStore } from './progress/progress-store.js';
export { PushStore } from './repositories/push-store.js';
export { RepositoryNames, type RepositoryName } from './repositories/repository-names.js';
export { RepositoryStates } from './repositories/repository-states.js';
export { createRepositoryStore } from './repositories/repository-store.js';
export { createScheduleStore } from './schedules/schedule-store.js';
export { DeclarationRounds, ROUND_STATUSES, type DeclaredChange } from './declarations/declaration-rounds.js';
export { DECLARED_KINDS, DeclaredResources } from './declarations/declared-resources.js';
export { SettingsStore } from './settings/settings-store.js';
