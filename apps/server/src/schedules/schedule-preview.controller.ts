import { Get, Query } from '@nestjs/common';
import { ScheduleStore } from '@core/domain';
import { RequireRole } from '../access/role.js';
import { ApiRoute, Resource } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import { Scoped } from '../http/parameters.js';
import { assertTiming } from './assert-timing.js';
import { SchedulePreviewDto, SchedulePreviewQueryDto } from './schedule.schema.js';
import { upcomingTicks } from './schedules.service.js';

@Resource('schedule-preview', 'schedules')
export class SchedulePreviewController {
  constructor(private readonly schedules: ScheduleStore) {}

  @Get()
  @RequireRole('viewer')
  @Scoped()
  @ApiRoute({
    summary: 'Preview a schedule',
    description:
      'The next ticks of an expression, without storing anything. Of `H` it shows one possible time.',
    answers: SchedulePreviewDto,
    problems: { 422: '`cron_invalid`: `cron_field` names the part at fault; `timezone_invalid`.' },
  })
  async previewSchedule(
    @Query({ schema: SchedulePreviewQueryDto }) query: Given<typeof SchedulePreviewQueryDto>,
  ) {
    const { cronExpression, timezone = 'UTC', repositoryId = 'any' } = query;
    assertTiming(cronExpression, timezone);
    const now = await this.schedules.now();
    return { nextTicks: upcomingTicks({ cronExpression, timezone, repositoryId }, now) };
  }
}
