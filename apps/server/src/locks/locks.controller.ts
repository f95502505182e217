import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type VisibleRepositories } from '@core/domain';
import { Audited } from '../http/audited.js';
import { ApiRoute } from '../http/api-route.js';
import { IdParam, Visible } from '../http/parameters.js';
import { PageQueryDto } from '../http/queries.js';
import { CallerName, RequireRole } from '../access/role.js';
import { LockListDto, ReleaseQueryDto } from './lock.schema.js';
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
    problems: { 503: UNAVAILABLE },
  })
  listLocks(@Query({ schema: PageQueryDto }) query: PageQueryDto, @Visible() visible: VisibleRepositories) {
    return this.locks.list(query, visible);
  }

  @Delete(':repository_id')
  @RequireRole('admin')
  @Audited('lock.release')
  @ApiRoute({
    summary: 'Break the lock of a repository',
    description:
      'For emergencies: the run ends as cancelled (`lock_released`) at once, its further writes are refused, and a living ' +
      'pod stops it within a second. The next run may start immediately.',
    status: 204,
    problems: {
      400: 'The reason is missing, or the id is no UUID.',
      404: '`lock_not_held`: no run holds it.',
      409: '`lock_changed`: its holder has released it meanwhile.',
      503: UNAVAILABLE,
    },
  })
  releaseLock(
    @IdParam('repository', 'repository_id') repositoryId: string,
    @Query({ schema: ReleaseQueryDto }) { reason }: ReleaseQueryDto,
    @CallerName() by: string | null,
  ) {
    return this.locks.release(repositoryId, { by: by ?? '', reason });
  }
}
