import { Post } from '@nestjs/common';
import { type Execution } from '@core/domain';
import { ApiRoute, Resource, RunInProgressProblemDto } from '../http/api-route.js';
import { CallerName, RequireRole } from '../access/role.js';
import { type Given } from '../http/model.js';
import { OptionalBody, IdempotencyKey, type OwnRequestKey, IdParam } from '../http/parameters.js';
import { SyncRequestDto, SyncStartedDto, VerifyRequestDto } from './execution.schema.js';
import { ExecutionsService } from './executions.service.js';

/** Answers of a route that queues a run. */
const QUEUED = {
  status: 202,
  answers: SyncStartedDto,
  answerDescription: 'Queued.',
  problems: { 409: { description: '`run_in_progress`: names the holder.', model: RunInProgressProblemDto } },
};

/** Queues runs of a repository on request. */
@Resource('repositories/:id', 'repositories')
export class SyncController {
  constructor(private readonly executions: ExecutionsService) {}

  @Post('sync')
  @RequireRole('operator')
  @ApiRoute({
    summary: 'Sync a repository now',
    description:
      'Queues a run and answers at once. A dry run does not wait for other runs of the repository; its plan is the `report` of the execution.',
    ...QUEUED,
  })
  async syncRepository(
    @IdParam('repository') repositoryId: string,
    @OptionalBody(SyncRequestDto) body: Given<typeof SyncRequestDto>,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
  ) {
    const request = {
      requestedBy,
      fullSync: body.full,
      handler: body.dryRun ? 'dry_run' : 'repository_sync',
      maxEmbeddingTokens: body.maxEmbeddingTokens ?? null,
    } as const;
    return started(await this.executions.start(repositoryId, request, key));
  }

  @Post('verify')
  @RequireRole('operator')
  @ApiRoute({
    summary: 'Verify the index of a repository',
    description:
      'Queues a comparison of the index with the tree at its commit, and answers at once. The execution ends as completed, or as failed with `index_differs`; its `report` lists the differences.',
    ...QUEUED,
  })
  async verifyRepository(
    @IdParam('repository') repositoryId: string,
    @OptionalBody(VerifyRequestDto) body: Given<typeof VerifyRequestDto>,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
  ) {
    const handler = body.repair ? 'repair' : 'verify';
    const request = { requestedBy, fullSync: false, handler } as const;
    return started(await this.executions.start(repositoryId, request, key));
  }
}

function started({ id }: Execution) {
  return { taskId: id, executionId: id };
}
