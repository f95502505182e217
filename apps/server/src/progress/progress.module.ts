import { Module } from '@nestjs/common';
import { HttpModule } from '../access/http.module.js';
import { ExecutionEventsController } from './execution-events.controller.js';
import { ProgressController } from './progress.controller.js';
import { ProgressService } from './progress.service.js';

@Module({
  imports: [HttpModule],
  controllers: [ProgressController, ExecutionEventsController],
  providers: [ProgressService],
  exports: [ProgressService],
})
export class ProgressModule {}
