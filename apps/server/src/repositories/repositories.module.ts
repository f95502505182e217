import { Module } from '@nestjs/common';
import { ContentsController } from './contents.controller.js';
import { PurgeController } from './purge.controller.js';
import { RegistrationService } from './registration.service.js';
import { RepositoriesController } from './repositories.controller.js';
import { RepositoriesService } from './repositories.service.js';
import { SyncController } from './sync.controller.js';
import { SyncService } from './sync.service.js';

@Module({
  controllers: [RepositoriesController, ContentsController, SyncController, PurgeController],
  providers: [RegistrationService, RepositoriesService, SyncService],
  exports: [RegistrationService, RepositoriesService, SyncService],
})
export class RepositoriesModule {}
