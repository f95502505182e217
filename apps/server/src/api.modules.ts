import { CredentialsModule } from './credentials/credentials.module.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { ProgressModule } from './progress/progress.module.js';
import { HealthModule } from './health/health.module.js';
import { AuditModule } from './access/audit/audit.module.js';
import { CollectionsModule } from './collections/collections.module.js';
import { ClusterModule } from './cluster/cluster.module.js';
import { DiscoveriesModule } from './discoveries/discoveries.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { HistoryModule } from './history/history.module.js';
import { RepositoriesModule } from './repositories/repositories.module.js';
import { SchedulesModule } from './schedules/schedules.module.js';
import { SearchModule } from './search/search.module.js';
import { SettingsModule } from './settings/settings.module.js';
import { IdentityModule } from './access/identity.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { LocksModule } from './locks/locks.module.js';
import { TokensModule } from './access/tokens.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { HttpModule } from './access/http.module.js';

/** The HTTP surface. The ports behind `tokens.ts` must come from global modules. */
export const apiModules = [
  HttpModule,
  // Before the executions: `/executions/export` must not be taken for an id.
  ExportsModule,
  RepositoriesModule,
  DiscoveriesModule,
  CollectionsModule,
  SchedulesModule,
  ExecutionsModule,
  ProgressModule,
  HistoryModule,
  LocksModule,
  ClusterModule,
  TokensModule,
  IdentityModule,
  AuditModule,
  SearchModule,
  SettingsModule,
  CredentialsModule,
  HealthModule,
  MetricsModule,
  WebhooksModule,
];
