import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { filterOf, ScheduleExecutionsQueryDto } from '../executions/execution-queries.dto.js';
import { ExecutionDto, ExecutionListDto } from '../executions/execution.dto.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, toList } from '../http/page.dto.js';
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
    @Query() query: ScheduleExecutionsQueryDto,
  ): Promise<ListDto<ExecutionDto>> {
    await this.schedules.get(scheduleId);
    return toList(await this.executions.list({ ...filterOf(query), scheduleId }, query), ExecutionDto.of);
  }
}
