import { Body, Controller, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { type Execution } from '@core/domain';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { ApiIdempotencyKey, IdempotencyKey, type OwnRequestKey } from '../http/idempotency-key.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { RunInProgressProblemDto } from '../http/problem.schema.js';
import { RequireRole } from '../access/role.js';
import { SyncRequestDto, SyncStartedDto, VerifyRequestDto } from './execution.schema.js';
import { SyncService } from './sync.service.js';

/** Answers of a route that queues a run. */
const QUEUED = {
  status: 202,
  answers: SyncStartedDto,
  answerDescription: 'Queued.',
  problems: {
    409: { description: '`run_in_progress`: names the holder.', model: RunInProgressProblemDto },
  },
};

/** Queues runs of a repository on request. */
@ApiTags('repositories')
@Controller('api/v1/repositories/:id')
export class SyncController {
  constructor(private readonly syncs: SyncService) {}

  @Post('sync')
  @RequireRole('operator')
  @ApiId('repository')
  @ApiIdempotencyKey()
  @ApiBody({ required: false })
  @ApiRoute({
    summary: 'Sync a repository now',
    description:
      'Queues a run and answers at once. A dry run does not wait for other runs of the repository; its plan is the `report` of the execution.',
    ...QUEUED,
  })
  async syncRepository(
    @IdParam() repositoryId: string,
    @Body({ schema: SyncRequestDto }) body: SyncRequestDto,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
  ): Promise<SyncStartedDto> {
    const request = {
      trigger: 'manual',
      requestedBy,
      fullSync: body.full,
      handler: body.dry_run ? 'dry_run' : 'repository_sync',
      maxEmbeddingTokens: body.max_embedding_tokens ?? null,
    } as const;
    return started(await this.syncs.start(repositoryId, request, key));
  }

  @Post('verify')
  @RequireRole('operator')
  @ApiId('repository')
  @ApiIdempotencyKey()
  @ApiBody({ required: false })
  @ApiRoute({
    summary: 'Verify the index of a repository',
    description:
      'Queues a comparison of the index with the tree at its commit, and answers at once. The execution ends as completed, or as failed with `index_differs`; its `report` lists the differences.',
    ...QUEUED,
  })
  async verifyRepository(
    @IdParam() repositoryId: string,
    @Body({ schema: VerifyRequestDto }) body: VerifyRequestDto,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
  ): Promise<SyncStartedDto> {
    const handler = body.repair ? 'repair' : 'verify';
    const request = { trigger: 'manual', requestedBy, fullSync: false, handler } as const;
    return started(await this.syncs.start(repositoryId, request, key));
  }
}

function started({ id }: Execution): SyncStartedDto {
  return { task_id: id, execution_id: id };
}
