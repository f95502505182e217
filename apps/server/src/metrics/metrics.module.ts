import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { SnapshotsService } from './snapshots.service.js';

@Global()
@Module({
  controllers: [MetricsController],
  providers: [Metrics, SnapshotsService],
  exports: [Metrics],
})
export class MetricsModule {}
