import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ScheduleStore } from '@core/domain';
import { RequireRole } from '../access/role.js';
import { ApiRoute } from '../http/api-route.js';
import { Scoped } from '../http/parameters.js';
import { previewSchedule } from './preview-schedule.js';
import { SchedulePreviewDto, SchedulePreviewQueryDto } from './schedule.schema.js';

@ApiTags('schedules')
@Controller('api/v1/schedule-preview')
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
  async previewSchedule(@Query({ schema: SchedulePreviewQueryDto }) query: SchedulePreviewQueryDto) {
    const { cron_expression: cronExpression, timezone = 'UTC', repository_id: repositoryId = 'any' } = query;
    return previewSchedule({ cronExpression, timezone, repositoryId }, await this.schedules.now());
  }
}
