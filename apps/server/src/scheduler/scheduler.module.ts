import { Global, Module } from '@nestjs/common';
import { SCHEDULE_WAKER } from '../tokens.js';
import { SchedulerService } from './scheduler.service.js';
import { TickTimers } from './tick-timers.js';

@Global()
@Module({
  providers: [TickTimers, SchedulerService, { provide: SCHEDULE_WAKER, useExisting: SchedulerService }],
  exports: [SCHEDULE_WAKER],
})
export class SchedulerModule {}
