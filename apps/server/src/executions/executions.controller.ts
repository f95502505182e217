import { Get, Post, Query } from '@nestjs/common';
import { RepositoryNames } from '@adapters/postgres';
import { ExecutionStore, type VisibleRepositories } from '@core/domain';
import { ApiRoute, Resource } from '../http/api-route.js';
import { CallerName, RequireRole } from '../access/role.js';
import { IdempotencyKey, type OwnRequestKey, IdParam, Visible } from '../http/parameters.js';
import { type Given } from '../http/model.js';
import { ExecutionDto, ExecutionListDto, ExecutionQueryDto } from './execution.schema.js';
import { ExecutionsService } from './executions.service.js';

@Resource('executions')
export class ExecutionsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly store: ExecutionStore,
    private readonly names: RepositoryNames,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List executions',
    description: 'Newest first, unless `sort` says otherwise.',
    answers: ExecutionListDto,
  })
  async listExecutions(
    @Query({ schema: ExecutionQueryDto }) query: Given<typeof ExecutionQueryDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    const { items, total } = await this.store.list({ ...query, visible }, query);
    return { items: await this.names.addTo(items), total };
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiRoute({ summary: 'Show an execution', answers: ExecutionDto })
  async getExecution(@IdParam('execution') executionId: string) {
    return this.names.addToOne(await this.executions.get(executionId));
  }

  @Post(':id/cancel')
  @RequireRole('operator')
  @ApiRoute({
    summary: 'Cancel an execution',
    description:
      'A queued execution ends at once; a running one stops before its next stage or batch, on any pod.',
    status: 202,
    answers: ExecutionDto,
    answerDescription: 'Cancelled, or its cancellation is requested.',
    problems: { 409: '`execution_finished`: it has ended with another status.' },
  })
  async cancelExecution(@IdParam('execution') executionId: string) {
    return this.names.addToOne(await this.executions.cancel(executionId));
  }

  @Post(':id/retry')
  @RequireRole('operator')
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
    @IdParam('execution') executionId: string,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
  ) {
    return this.names.addToOne(await this.executions.retry(executionId, requestedBy, key));
  }
}
