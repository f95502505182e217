import { Body, Controller, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../http/caller.js';
import { ApiIdempotencyKey, IdempotencyKey, type OwnRequestKey } from '../http/idempotency-key.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { RunInProgressProblemDto } from '../http/problem.dto.js';
import { RequireRole } from '../http/role.js';
import { SyncRequestDto, SyncStartedDto } from './sync.dto.js';
import { SyncService } from './sync.service.js';

@ApiTags('repositories')
@Controller('api/v1/repositories/:id/sync')
export class SyncController {
  constructor(private readonly syncs: SyncService) {}

  @Post()
  @RequireRole('operator')
  @ApiId('repository')
  @ApiIdempotencyKey()
  @ApiBody({ type: SyncRequestDto, required: false })
  @ApiRoute({
    summary: 'Sync a repository now',
    description:
      'Queues a run and answers at once. A dry run goes on beside a run of the repository; its plan stands in the `report` of the execution.',
    status: 202,
    answers: SyncStartedDto,
    answerDescription: 'Queued.',
    problems: {
      409: { description: '`run_in_progress`: names the holder.', model: RunInProgressProblemDto },
      422: '`idempotency_key_reused`: the key came with another request.',
    },
  })
  async syncRepository(
    @IdParam() repositoryId: string,
    @Body() body: SyncRequestDto,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
  ): Promise<SyncStartedDto> {
    const request = {
      trigger: 'manual',
      requestedBy,
      fullSync: body.full ?? false,
      handler: body.dry_run ? 'dry_run' : 'repository_sync',
      maxEmbeddingTokens: body.max_embedding_tokens ?? null,
    } as const;
    const execution = await this.syncs.start(repositoryId, request, key);
    return { task_id: execution.id, execution_id: execution.id };
  }
}
