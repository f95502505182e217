import { Body, Controller, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../http/caller.js';
import { ApiIdempotencyKey, IdempotencyKey, type OwnRequestKey } from '../http/idempotency-key.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { RunInProgressProblemDto } from '../http/problem.dto.js';
import { RequireRole } from '../http/role.js';
import { SyncStartedDto, VerifyRequestDto } from './sync.dto.js';
import { SyncService } from './sync.service.js';

@ApiTags('repositories')
@Controller('api/v1/repositories/:id/verify')
export class VerifyController {
  constructor(private readonly syncs: SyncService) {}

  @Post()
  @RequireRole('operator')
  @ApiId('repository')
  @ApiIdempotencyKey()
  @ApiBody({ type: VerifyRequestDto, required: false })
  @ApiRoute({
    summary: 'Verify the index of a repository',
    description:
      'Queues a comparison of the index with the tree at its commit, and answers at once. The execution ends as completed, or as failed with `index_differs`; its `report` tells what was found.',
    status: 202,
    answers: SyncStartedDto,
    answerDescription: 'Queued.',
    problems: {
      409: { description: '`run_in_progress`: names the holder.', model: RunInProgressProblemDto },
      422: '`idempotency_key_reused`: the key came with another request.',
    },
  })
  async verifyRepository(
    @IdParam() repositoryId: string,
    @Body() body: VerifyRequestDto,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
  ): Promise<SyncStartedDto> {
    const handler = body.repair ? 'repair' : 'verify';
    const request = { trigger: 'manual', requestedBy, fullSync: false, handler } as const;
    const execution = await this.syncs.start(repositoryId, request, key);
    return { task_id: execution.id, execution_id: execution.id };
  }
}
