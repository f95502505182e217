import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Audited } from '../access/audit/audited.js';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto } from '../http/model.js';
import { PageQueryDto } from '../http/queries.js';
import { RequireRole } from '../access/role.js';
import { LockDto, LockListDto, ReleaseQueryDto } from './lock.schema.js';
import { LocksService, type Lock } from './locks.service.js';

const UNAVAILABLE = '`lease_unavailable`: Redis or the database does not answer now.';

@ApiTags('locks')
@Controller('api/v1/locks')
export class LocksController {
  constructor(private readonly locks: LocksService) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List who holds which repository',
    description: 'Since when, until when, and for which execution. By repository.',
    answers: LockListDto,
    problems: { 400: 'A parameter is wrong; `errors` names each.', 503: UNAVAILABLE },
  })
  async listLocks(@Query({ schema: PageQueryDto }) query: PageQueryDto): Promise<ListDto<LockDto>> {
    const { items, total } = await this.locks.list(query);
    return { items: items.map(show), total };
  }

  @Delete(':repository_id')
  @RequireRole('admin')
  @Audited('lock.release')
  @ApiId('repository', 'repository_id')
  @ApiRoute({
    summary: 'Take a lock from its holder',
    description:
      'For emergencies: the run is cancelled, and its further writes are refused. If its pod lives, cancelling the ' +
      'execution is enough.',
    status: 204,
    problems: {
      400: 'The reason is missing, or the id is no UUID.',
      404: '`lock_not_held`: nobody holds it.',
      409: '`lock_changed`: its holder has released it meanwhile.',
      503: UNAVAILABLE,
    },
  })
  async releaseLock(
    @IdParam('repository_id') repositoryId: string,
    @Query({ schema: ReleaseQueryDto }) { reason }: ReleaseQueryDto,
    @CallerName() by: string | null,
  ): Promise<void> {
    await this.locks.release(repositoryId, { by: by ?? '', reason });
  }
}

function show({ lease, execution, repository }: Lock): LockDto {
  return {
    repository_id: lease.repositoryId,
    project_path: repository?.projectPath ?? null,
    branch: repository?.branch ?? null,
    pod_name: lease.podName,
    execution_id: lease.executionId,
    fence: lease.fence,
    held_since: execution?.startedAt ?? null,
    expires_at: lease.expiresAt,
    execution_status: execution?.status ?? null,
    heartbeat_at: execution?.heartbeatAt ?? null,
    cancel_requested_at: execution?.cancelRequestedAt ?? null,
  };
}
