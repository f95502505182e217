import { Module } from '@nestjs/common';
import { RepositoriesModule } from '../repositories/repositories.module.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { SyncController } from './sync.controller.js';
import { SyncService } from './sync.service.js';

@Module({
  imports: [RepositoriesModule],
  controllers: [ExecutionsController, SyncController],
  providers: [ExecutionsService, SyncService],
  exports: [ExecutionsService, SyncService],
})
export class ExecutionsModule {}
