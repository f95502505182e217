import { Module } from '@nestjs/common';
import { DiscoveryRunnerService } from './discovery-runner.service.js';

@Module({ providers: [DiscoveryRunnerService] })
export class DiscoveryRunnerModule {}
