import { Global, Module } from '@nestjs/common';
import { type Hints, type ScheduleWaker } from '@core/domain';
import { HINTS, SCHEDULE_WAKER } from '../injection-tokens.js';
import { SchedulerService } from './scheduler.service.js';
import { TickTimers } from './tick-timers.js';

/** An edit through one pod wakes the schedulers of all. */
function createWaker(hints: Hints): ScheduleWaker {
  return { wake: () => hints.publish({ kind: 'schedules_changed' }) };
}

@Global()
@Module({
  providers: [
    TickTimers,
    SchedulerService,
    { provide: SCHEDULE_WAKER, useFactory: createWaker, inject: [HINTS] },
  ],
  exports: [SCHEDULE_WAKER],
})
export class SchedulerModule {}
