import { Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { ApiIdempotencyKey, IdempotencyKey, type OwnRequestKey } from '../http/idempotency-key.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, toList } from '../http/page.dto.js';
import { RequireRole } from '../access/role.js';
import { SyncService } from './sync.service.js';
import { ExecutionQueryDto, filterOf } from './execution-queries.dto.js';
import { ExecutionDto, ExecutionListDto } from './execution.dto.js';
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
  async listExecutions(@Query() query: ExecutionQueryDto): Promise<ListDto<ExecutionDto>> {
    return toList(await this.executions.list(filterOf(query), query), ExecutionDto.of);
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiId('execution')
  @ApiRoute({ summary: 'Show an execution', answers: ExecutionDto })
  async getExecution(@IdParam() executionId: string): Promise<ExecutionDto> {
    return ExecutionDto.of(await this.executions.get(executionId));
  }

  @Post(':id/cancel')
  @RequireRole('operator')
  @ApiId('execution')
  @ApiRoute({
    summary: 'Cancel an execution',
    description:
      'A queued one ends at once; a running one stops before its next stage or batch, on whichever pod.',
    status: 202,
    answers: ExecutionDto,
    answerDescription: 'Cancelled, or asked to stop.',
    problems: { 409: '`execution_finished`: it has ended otherwise.' },
  })
  async cancelExecution(@IdParam() executionId: string): Promise<ExecutionDto> {
    return ExecutionDto.of(await this.executions.cancel(executionId));
  }

  @Post(':id/retry')
  @RequireRole('operator')
  @ApiId('execution')
  @ApiIdempotencyKey()
  @ApiRoute({
    summary: 'Retry an execution',
    description:
      'Does one that failed, was cancelled or came to its end in part again: the same work with the same limits, as a new execution that names it.',
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
    return ExecutionDto.of(await this.runs.retry(executionId, requestedBy, key));
  }
}
