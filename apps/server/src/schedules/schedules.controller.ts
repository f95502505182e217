import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { INVALID_FORM } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { fieldsOf, present, presentPage, type ListDto } from '../http/model.js';
import { someChange } from '../http/present-fields.js';
import { ApiIfMatch, ExpectedRevision, REVISION_HEADER, tagRevision } from '../http/revision.js';
import { RequireRole } from '../access/role.js';
import {
  CreateScheduleDto,
  ScheduleDto,
  ScheduleListDto,
  ScheduleQueryDto,
  UpdateScheduleDto,
} from './schedule.schema.js';
import { SchedulesService, type UpcomingSchedule } from './schedules.service.js';

@ApiTags('schedules')
@Controller('api/v1/schedules')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Post()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Create a schedule',
    status: 201,
    answers: ScheduleDto,
    headers: { ...REVISION_HEADER, Location: 'Address of the schedule.' },
    problems: { 400: INVALID_FORM, 422: '`cron_invalid`, `timezone_invalid`, `repository_not_found`.' },
  })
  async createSchedule(
    @Body({ schema: CreateScheduleDto }) body: CreateScheduleDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScheduleDto> {
    const created = await this.schedules.create(fieldsOf(body));
    response.location(`/api/v1/schedules/${created.id}`);
    return answer(created, response);
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
  @ApiRoute({ summary: 'Show a schedule', answers: ScheduleDto, headers: REVISION_HEADER })
  async getSchedule(
    @IdParam() scheduleId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScheduleDto> {
    return answer(await this.schedules.get(scheduleId), response);
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiId('schedule')
  @ApiIfMatch()
  @ApiRoute({
    summary: 'Change a schedule',
    description: 'Every pod obeys the change; ticks that were due before it are discarded.',
    answers: ScheduleDto,
    headers: REVISION_HEADER,
    problems: { 422: '`cron_invalid`, `timezone_invalid`.' },
  })
  async updateSchedule(
    @IdParam() scheduleId: string,
    @Body({ schema: UpdateScheduleDto }) body: UpdateScheduleDto,
    @ExpectedRevision() revision: number | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScheduleDto> {
    return answer(await this.schedules.update(scheduleId, someChange(fieldsOf(body)), revision), response);
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiId('schedule')
  @ApiRoute({ summary: 'Delete a schedule', description: 'Its executions remain.', status: 204 })
  async deleteSchedule(@IdParam() scheduleId: string): Promise<void> {
    await this.schedules.remove(scheduleId);
  }

  @Post(':id/pause')
  @RequireRole('operator')
  @ApiId('schedule')
  @ApiRoute({
    summary: 'Pause a schedule',
    description: 'What runs goes on; pausing a paused one changes nothing.',
    answers: ScheduleDto,
    headers: REVISION_HEADER,
  })
  async pauseSchedule(
    @IdParam() scheduleId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScheduleDto> {
    return answer(await this.schedules.setActive(scheduleId, false), response);
  }

  @Post(':id/resume')
  @RequireRole('operator')
  @ApiId('schedule')
  @ApiRoute({
    summary: 'Resume a schedule',
    description: 'Ticks that passed while it was paused stay passed.',
    answers: ScheduleDto,
    headers: REVISION_HEADER,
  })
  async resumeSchedule(
    @IdParam() scheduleId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScheduleDto> {
    return answer(await this.schedules.setActive(scheduleId, true), response);
  }
}

function answer(upcoming: UpcomingSchedule, response: Response): ScheduleDto {
  tagRevision(response, upcoming);
  return present(ScheduleDto, upcoming);
}
