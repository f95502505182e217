import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ScheduleExecutionsController } from './schedule-executions.controller.js';
import { SchedulesController } from './schedules.controller.js';
import { SchedulesService } from './schedules.service.js';

@Module({
  imports: [ExecutionsModule],
  controllers: [SchedulesController, ScheduleExecutionsController],
  providers: [SchedulesService],
  exports: [SchedulesService],
})
export class SchedulesModule {}
