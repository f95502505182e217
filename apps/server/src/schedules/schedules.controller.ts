import { Body, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { RepositoryNames } from '@adapters/postgres';
import { ApiRoute, Resource } from '../http/api-route.js';
import { IdParam, someChange, ExpectedRevision, Visible } from '../http/parameters.js';
import { ExecutionStore, type VisibleRepositories } from '@core/domain';
import { ExecutionListDto, ScheduleExecutionsQueryDto } from '../executions/execution.schema.js';
import { type Given } from '../http/model.js';
import { RequireRole } from '../access/role.js';
import {
  CreateScheduleDto,
  ScheduleDto,
  ScheduleListDto,
  ScheduleQueryDto,
  UpdateScheduleDto,
} from './schedule.schema.js';
import { SchedulesService } from './schedules.service.js';

@Resource('schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly executions: ExecutionStore,
    private readonly names: RepositoryNames,
  ) {}

  @Post()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Create a schedule',
    answers: ScheduleDto,
    isTagged: true,
    createsUnder: '/api/v1/schedules',
    problems: { 422: '`cron_invalid`, `timezone_invalid`, `repository_not_found`.' },
  })
  async createSchedule(
    @Body({ schema: CreateScheduleDto }) body: Given<typeof CreateScheduleDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    return this.names.addToOne(await this.schedules.create(body, visible));
  }

  @Get()
  @RequireRole('viewer')
  @ApiRoute({ summary: 'List schedules', answers: ScheduleListDto })
  async listSchedules(
    @Query({ schema: ScheduleQueryDto }) query: Given<typeof ScheduleQueryDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    const { items, total } = await this.schedules.list({ ...query, visible }, query);
    return { items: await this.names.addTo(items), total };
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiRoute({ summary: 'Show a schedule', answers: ScheduleDto, isTagged: true })
  async getSchedule(@IdParam('schedule') scheduleId: string) {
    return this.names.addToOne(await this.schedules.get(scheduleId));
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Change a schedule',
    description:
      'Every pod obeys the change at once. A tick that was due and not yet claimed is recorded as superseded when its time changes.',
    answers: ScheduleDto,
    isTagged: true,
    problems: { 422: '`cron_invalid`, `timezone_invalid`.' },
  })
  async updateSchedule(
    @IdParam('schedule') scheduleId: string,
    @Body({ schema: UpdateScheduleDto }) body: Given<typeof UpdateScheduleDto>,
    @ExpectedRevision() revision: number | undefined,
  ) {
    const changes = someChange(body);
    return this.names.addToOne(await this.schedules.update(scheduleId, changes, revision));
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiRoute({ summary: 'Delete a schedule', description: 'Its executions are kept.', status: 204 })
  deleteSchedule(@IdParam('schedule') scheduleId: string) {
    return this.schedules.remove(scheduleId);
  }

  @Post(':id/pause')
  @RequireRole('operator')
  @ApiRoute({
    summary: 'Pause a schedule',
    description: 'Running executions continue; pausing a paused schedule changes nothing.',
    answers: ScheduleDto,
    isTagged: true,
  })
  async pauseSchedule(@IdParam('schedule') scheduleId: string) {
    return this.names.addToOne(await this.schedules.setActive(scheduleId, false));
  }

  @Post(':id/resume')
  @RequireRole('operator')
  @ApiRoute({
    summary: 'Resume a schedule',
    description: 'Ticks that passed while it was paused do not run.',
    answers: ScheduleDto,
    isTagged: true,
  })
  async resumeSchedule(@IdParam('schedule') scheduleId: string) {
    return this.names.addToOne(await this.schedules.setActive(scheduleId, true));
  }

  @Get(':id/executions')
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List the executions of a schedule',
    description: 'Newest first; missed, coalesced and skipped ticks included.',
    answers: ExecutionListDto,
  })
  async listScheduleExecutions(
    @IdParam('schedule') scheduleId: string,
    @Query({ schema: ScheduleExecutionsQueryDto }) query: Given<typeof ScheduleExecutionsQueryDto>,
  ) {
    await this.schedules.get(scheduleId);
    const { items, total } = await this.executions.list({ ...query, scheduleId }, query);
    return { items: await this.names.addTo(items), total };
  }
}
