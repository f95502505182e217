import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ExecutionDto,
  ExecutionListDto,
  ScheduleExecutionsQueryDto,
} from '../executions/execution.schema.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { presentPage, type ListDto } from '../http/model.js';
import { filterOf } from '../http/queries.js';
import { RequireRole } from '../access/role.js';
import { SchedulesService } from './schedules.service.js';

@ApiTags('schedules')
@Controller('api/v1/schedules/:id/executions')
export class ScheduleExecutionsController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly executions: ExecutionsService,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiId('schedule')
  @ApiRoute({
    summary: 'List the executions of a schedule',
    description: 'Newest first; missed, coalesced and skipped ticks included.',
    answers: ExecutionListDto,
  })
  async listScheduleExecutions(
    @IdParam() scheduleId: string,
    @Query({ schema: ScheduleExecutionsQueryDto }) query: ScheduleExecutionsQueryDto,
  ): Promise<ListDto<ExecutionDto>> {
    await this.schedules.get(scheduleId);
    const executions = await this.executions.list({ ...filterOf(query), scheduleId }, query);
    return presentPage(ExecutionDto, executions);
  }
}
