import { Global, Module } from '@nestjs/common';
import { LimiterMetrics } from './limiter-metrics.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { SnapshotsService } from './snapshots.service.js';

@Global()
@Module({
  controllers: [MetricsController],
  providers: [Metrics, SnapshotsService, LimiterMetrics],
  exports: [Metrics],
})
export class MetricsModule {}
