import { Module } from '@nestjs/common';
import { DiscoveriesController } from './discoveries.controller.js';
import { DiscoveriesService } from './discoveries.service.js';
import { DiscoveryRunsController } from './discovery-runs.controller.js';

@Module({
  controllers: [DiscoveriesController, DiscoveryRunsController],
  providers: [DiscoveriesService],
})
export class DiscoveriesModule {}
