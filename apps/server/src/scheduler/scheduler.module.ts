import { Global, Module } from '@nestjs/common';
import { Hints, ScheduleWaker } from '@core/domain';
import { SchedulerService } from './scheduler.service.js';
import { TickTimers } from './tick-timers.js';

/** After an edit in one pod, wakes the schedulers of all pods. */
function createWaker(hints: Hints): ScheduleWaker {
  return { wake: () => hints.publish({ kind: 'schedules_changed' }) };
}

@Global()
@Module({
  providers: [
    TickTimers,
    SchedulerService,
    { provide: ScheduleWaker, useFactory: createWaker, inject: [Hints] },
  ],
  exports: [ScheduleWaker],
})
export class SchedulerModule {}
