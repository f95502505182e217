import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AccessModule } from './access/access.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { ExportsController } from './exports/exports.controller.js';
import { ExecutionsController } from './executions/executions.controller.js';
import { ExecutionsService } from './executions/executions.service.js';
import { SyncController } from './executions/sync.controller.js';
import { ContentsController } from './repositories/contents.controller.js';
import { RepositoryStatesController } from './repository-states/repository-states.controller.js';
import { RegistrationService } from './repositories/registration.service.js';
import { RepositoriesController } from './repositories/repositories.controller.js';
import { RepositoriesService } from './repositories/repositories.service.js';
import { DiscoveriesController } from './discoveries/discoveries.controller.js';
import { DiscoveriesService } from './discoveries/discoveries.service.js';
import { SourceProjectsController } from './source-projects/source-projects.controller.js';
import { CollectionsController } from './collections/collections.controller.js';
import { SearchGateService } from './collections/gate/search-gate.service.js';
import { CollectionsService } from './collections/collections.service.js';
import { SchedulePreviewController } from './schedules/schedule-preview.controller.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { SchedulesService } from './schedules/schedules.service.js';
import { ExecutionEventsController } from './progress/execution-events.controller.js';
import { ProgressController } from './progress/progress.controller.js';
import { ProgressService } from './progress/progress.service.js';
import { HistoryController } from './history/history.controller.js';
import { LocksController } from './locks/locks.controller.js';
import { ClusterController } from './cluster/cluster.controller.js';
import { PodHeartbeat } from './cluster/pod-heartbeat.service.js';
import { TokensController, IdentityController } from './access/tokens.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditTrail } from './audit/audit-trail.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { AnswersService } from './search/answers/answers.service.js';
import { SearchController } from './search/search.controller.js';
import { RerankingService } from './search/answers/reranking.service.js';
import { SearchService } from './search/search.service.js';
import { LlmsController } from './mcp/llms.controller.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpService } from './mcp/mcp.service.js';
import { ReadLinesService } from './reading/read-lines.service.js';
import { RepositoryStatusService } from './reading/repository-status.service.js';
import { ReadableRepositories } from './reading/readable-repositories.js';
import { DeclarationsController } from './declarations/declarations.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { CredentialKeyController, CredentialsController } from './credentials/credentials.controller.js';
import { EventWebhooksController } from './event-webhooks/event-webhooks.controller.js';
import { EventWebhooksModule } from './event-webhooks/event-webhooks.module.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsPage } from './metrics/metrics-page.js';
import { MetricsServer } from './metrics/metrics-server.js';
import { RepositoryGauges } from './metrics/repository-gauges.js';
import { SnapshotsService } from './metrics/snapshots.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** Every route. The stores and other ports behind them must come from global modules. */
@Module({
  imports: [AccessModule, MetricsModule, EventWebhooksModule],
  controllers: [
    // ExportsController comes before ExecutionsController: `/executions/export` must not match `/executions/:id`.
    ExportsController,
    RepositoriesController,
    ContentsController,
    RepositoryStatesController,
    DiscoveriesController,
    SourceProjectsController,
    CollectionsController,
    SchedulesController,
    SchedulePreviewController,
    ExecutionsController,
    SyncController,
    ProgressController,
    ExecutionEventsController,
    HistoryController,
    LocksController,
    ClusterController,
    TokensController,
    IdentityController,
    AuditController,
    SearchController,
    McpController,
    LlmsController,
    DeclarationsController,
    SettingsController,
    CredentialsController,
    CredentialKeyController,
    HealthController,
    MetricsController,
    SignInController,
    WebhooksController,
    EventWebhooksController,
  ],
  providers: [
    ExecutionsService,
    RegistrationService,
    RepositoriesService,
    DiscoveriesService,
    CollectionsService,
    SearchGateService,
    SchedulesService,
    ProgressService,
    PodHeartbeat,
    AuditTrail,
    { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
    SearchService,
    AnswersService,
    RerankingService,
    ReadableRepositories,
    ReadLinesService,
    RepositoryStatusService,
    McpService,
    HealthService,
    MetricsPage,
    MetricsServer,
    RepositoryGauges,
    SnapshotsService,
  ],
})
export class ApiModule {}
