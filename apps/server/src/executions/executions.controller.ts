import { Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { ApiIdempotencyKey, IdempotencyKey, type OwnRequestKey } from '../http/idempotency-key.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { present, presentPage, type ListDto } from '../http/model.js';
import { filterOf } from '../http/queries.js';
import { RequireRole } from '../access/role.js';
import { SyncService } from './sync.service.js';
import { ExecutionDto, ExecutionListDto, ExecutionQueryDto } from './execution.schema.js';
import { ExecutionsService } from './executions.service.js';

@ApiTags('executions')
@Controller('api/v1/executions')
export class ExecutionsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly runs: SyncService,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List executions',
    description: 'Newest first, unless `sort` says otherwise.',
    answers: ExecutionListDto,
    problems: { 400: 'A filter is wrong; `errors` names each.' },
  })
  async listExecutions(
    @Query({ schema: ExecutionQueryDto }) query: ExecutionQueryDto,
  ): Promise<ListDto<ExecutionDto>> {
    return presentPage(ExecutionDto, await this.executions.list(filterOf(query), query));
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiId('execution')
  @ApiRoute({ summary: 'Show an execution', answers: ExecutionDto })
  async getExecution(@IdParam() executionId: string): Promise<ExecutionDto> {
    return present(ExecutionDto, await this.executions.get(executionId));
  }

  @Post(':id/cancel')
  @RequireRole('operator')
  @ApiId('execution')
  @ApiRoute({
    summary: 'Cancel an execution',
    description:
      'A queued execution ends at once; a running one stops before its next stage or batch, on any pod.',
    status: 202,
    answers: ExecutionDto,
    answerDescription: 'Cancelled, or its cancellation is requested.',
    problems: { 409: '`execution_finished`: it has ended with another status.' },
  })
  async cancelExecution(@IdParam() executionId: string): Promise<ExecutionDto> {
    return present(ExecutionDto, await this.executions.cancel(executionId));
  }

  @Post(':id/retry')
  @RequireRole('operator')
  @ApiId('execution')
  @ApiIdempotencyKey()
  @ApiRoute({
    summary: 'Retry an execution',
    description:
      'Repeats a failed, partial or cancelled execution: the same work with the same limits, as a new execution that refers to it.',
    status: 202,
    answers: ExecutionDto,
    answerDescription: 'The new execution, queued.',
    problems: {
      409: '`run_in_progress`: names the holder. `execution_not_retryable`: it has not ended, completed, or never ran.',
    },
  })
  async retryExecution(
    @IdParam() executionId: string,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
  ): Promise<ExecutionDto> {
    return present(ExecutionDto, await this.runs.retry(executionId, requestedBy, key));
  }
}
