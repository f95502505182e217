import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Audited } from '../access/audit/audited.js';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, PageQueryDto, toList } from '../http/page.dto.js';
import { RequireRole } from '../access/role.js';
import { LockDto, LockListDto, ReleaseQueryDto } from './lock.dto.js';
import { LocksService } from './locks.service.js';

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
  async listLocks(@Query() query: PageQueryDto): Promise<ListDto<LockDto>> {
    return toList(await this.locks.list(query), LockDto.of);
  }

  @Delete(':repository_id')
  @RequireRole('admin')
  @Audited('lock.release')
  @ApiId('repository', 'repository_id')
  @ApiRoute({
    summary: 'Take a lock from its holder',
    description:
      'For emergencies: the run is told to stop for good, and what it still writes is refused. Cancelling the execution is ' +
      'the gentle way, and enough for a pod that lives.',
    status: 204,
    problems: {
      400: 'The reason is missing, or the id is no UUID.',
      404: '`lock_not_held`: nobody holds it.',
      409: '`lock_changed`: its holder gave it up meanwhile.',
      503: UNAVAILABLE,
    },
  })
  async releaseLock(
    @IdParam('repository_id') repositoryId: string,
    @Query() { reason }: ReleaseQueryDto,
    @CallerName() by: string | null,
  ): Promise<void> {
    await this.locks.release(repositoryId, { by: by ?? '', reason });
  }
}
