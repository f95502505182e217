import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { INVALID_FORM } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { fieldsOf, present, presentPage, type ListDto } from '../http/model.js';
import { someChange } from '../http/some-change.js';
import { ApiIfMatch, ExpectedRevision } from '../http/revision.js';
import { RequireRole } from '../access/role.js';
import {
  CreateScheduleDto,
  ScheduleDto,
  ScheduleListDto,
  ScheduleQueryDto,
  UpdateScheduleDto,
} from './schedule.schema.js';
import { SchedulesService } from './schedules.service.js';

@ApiTags('schedules')
@Controller('api/v1/schedules')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Post()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Create a schedule',
    answers: ScheduleDto,
    isTagged: true,
    createsUnder: '/api/v1/schedules',
    problems: { 400: INVALID_FORM, 422: '`cron_invalid`, `timezone_invalid`, `repository_not_found`.' },
  })
  async createSchedule(@Body({ schema: CreateScheduleDto }) body: CreateScheduleDto): Promise<ScheduleDto> {
    return present(ScheduleDto, await this.schedules.create(fieldsOf(body)));
  }

  @Get()
  @RequireRole('viewer')
  @ApiRoute({ summary: 'List schedules', answers: ScheduleListDto, problems: { 400: INVALID_FORM } })
  async listSchedules(
    @Query({ schema: ScheduleQueryDto }) query: ScheduleQueryDto,
  ): Promise<ListDto<ScheduleDto>> {
    return presentPage(ScheduleDto, await this.schedules.list(fieldsOf(query), query));
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiId('schedule')
  @ApiRoute({ summary: 'Show a schedule', answers: ScheduleDto, isTagged: true })
  async getSchedule(@IdParam() scheduleId: string): Promise<ScheduleDto> {
    return present(ScheduleDto, await this.schedules.get(scheduleId));
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiId('schedule')
  @ApiIfMatch()
  @ApiRoute({
    summary: 'Change a schedule',
    description:
      'Every pod obeys the change at once. A tick that was due and not yet claimed is recorded as superseded when its time changes.',
    answers: ScheduleDto,
    isTagged: true,
    problems: { 422: '`cron_invalid`, `timezone_invalid`.' },
  })
  async updateSchedule(
    @IdParam() scheduleId: string,
    @Body({ schema: UpdateScheduleDto }) body: UpdateScheduleDto,
    @ExpectedRevision() revision: number | undefined,
  ): Promise<ScheduleDto> {
    return present(
      ScheduleDto,
      await this.schedules.update(scheduleId, someChange(fieldsOf(body)), revision),
    );
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiId('schedule')
  @ApiRoute({ summary: 'Delete a schedule', description: 'Its executions are kept.', status: 204 })
  async deleteSchedule(@IdParam() scheduleId: string): Promise<void> {
    await this.schedules.remove(scheduleId);
  }

  @Post(':id/pause')
  @RequireRole('operator')
  @ApiId('schedule')
  @ApiRoute({
    summary: 'Pause a schedule',
    description: 'Running executions continue; pausing a paused schedule changes nothing.',
    answers: ScheduleDto,
    isTagged: true,
  })
  async pauseSchedule(@IdParam() scheduleId: string): Promise<ScheduleDto> {
    return present(ScheduleDto, await this.schedules.setActive(scheduleId, false));
  }

  @Post(':id/resume')
  @RequireRole('operator')
  @ApiId('schedule')
  @ApiRoute({
    summary: 'Resume a schedule',
    description: 'Ticks that passed while it was paused do not run.',
    answers: ScheduleDto,
    isTagged: true,
  })
  async resumeSchedule(@IdParam() scheduleId: string): Promise<ScheduleDto> {
    return present(ScheduleDto, await this.schedules.setActive(scheduleId, true));
  }
}
