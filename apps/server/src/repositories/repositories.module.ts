import { Module } from '@nestjs/common';
import { ContentsController } from './contents.controller.js';
import { PurgeController } from './purge.controller.js';
import { RegistrationService } from './registration.service.js';
import { RepositoriesController } from './repositories.controller.js';
import { RepositoriesService } from './repositories.service.js';

@Module({
  controllers: [RepositoriesController, ContentsController, PurgeController],
  providers: [RegistrationService, RepositoriesService],
  exports: [RegistrationService, RepositoriesService],
})
export class RepositoriesModule {}
