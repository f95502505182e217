import { Module } from '@nestjs/common';
import { SchedulerService } from './scheduler.service.js';
import { TickTimers } from './tick-timers.js';

@Module({ providers: [TickTimers, SchedulerService] })
export class SchedulerModule {}
