import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RepotideError, ExecutionStore, RepositoryStore } from '@core/domain';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { RequireRole } from '../access/role.js';
import { PurgeDto } from './contents.schema.js';

@ApiTags('repositories')
@Controller('api/v1/repositories/:id/purge')
export class PurgeController {
  constructor(
    private readonly repositories: RepositoryStore,
    private readonly executions: ExecutionStore,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiId('repository')
  @ApiRoute({
    summary: 'Show how far the removal of a deleted repository is',
    description: 'A repository that is not deleted has none: 404 `purge_not_found`.',
    answers: PurgeDto,
  })
  async getPurge(@IdParam() repositoryId: string): Promise<PurgeDto> {
    const repository = await this.repositories.findIncludingDeleted(repositoryId);
    const { deletedAt = null, purgedAt = null } = repository ?? {};
    if (deletedAt === null) {
      const code = repository === null ? 'repository_not_found' : 'purge_not_found';
      const message =
        repository === null
          ? `There is no repository ${repositoryId}.`
          : `Repository ${repositoryId} is not deleted, so it has no purge.`;
      throw new RepotideError('not_found', code, message);
    }
    const { items } = await this.executions.list({ repositoryId }, { limit: 1, offset: 0 });
    // After the deletion, only a purge can be queued for the repository.
    const run = items[0]?.handler === 'purge' ? items[0] : null;
    const status = purgedAt ? 'purged' : run?.status === 'running' ? 'running' : 'waiting';
    return {
      repository_id: repositoryId,
      status,
      deleted_at: deletedAt,
      purged_at: purgedAt,
      execution_id: run?.id ?? null,
      chunks_deleted: run?.chunksDeleted ?? 0,
    };
  }
}
