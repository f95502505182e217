import { Module } from '@nestjs/common';
import { ExecutionEventsController } from './execution-events.controller.js';
import { ProgressController } from './progress.controller.js';
import { ProgressService } from './progress.service.js';

@Module({
  controllers: [ProgressController, ExecutionEventsController],
  providers: [ProgressService],
  exports: [ProgressService],
})
export class ProgressModule {}
