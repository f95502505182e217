import { Delete, Get, Query } from '@nestjs/common';
import pMap from 'p-map';
import {
  ExecutionStore,
  type HeldLease,
  Hints,
  LeaseManager,
  Logger,
  RepositoryStore,
  RepotideError,
  type VisibleRepositories,
} from '@core/domain';
import { Audited } from '../http/audited.js';
import { ApiRoute, Resource } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import { IdParam, Visible } from '../http/parameters.js';
import { PageQueryDto } from '../http/queries.js';
import { CallerName, RequireRole } from '../access/role.js';
import { LockListDto, ReleaseQueryDto } from './lock.schema.js';

const UNAVAILABLE = '`lease_unavailable`: Redis or the database does not answer now.';
/** Less than the default pool of ten connections, so that a long list leaves some for other requests. */
const LOOK_UPS_AT_ONCE = 4;

/** Lists the leases on repositories, and breaks them in an emergency. */
@Resource('locks')
export class LocksController {
  constructor(
    private readonly leases: LeaseManager,
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
    private readonly hints: Hints,
    private readonly logger: Logger,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List who holds which repository',
    description: 'Since when, until when, and for which execution. By repository.',
    answers: LockListDto,
    problems: { 503: UNAVAILABLE },
  })
  async listLocks(
    @Query({ schema: PageQueryDto }) { limit, offset }: Given<typeof PageQueryDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    const all = await this.leases.list();
    const held = all
      .filter((lease) => visible === null || visible.includes(lease.repositoryId))
      .sort((a, b) => (a.repositoryId < b.repositoryId ? -1 : 1));
    const shown = held.slice(offset, offset + limit);
    const items = await pMap(shown, (lease) => this.describe(lease), { concurrency: LOOK_UPS_AT_ONCE });
    return { items, total: held.length };
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
  async releaseLock(
    @IdParam('repository', 'repository_id') repositoryId: string,
    @Query({ schema: ReleaseQueryDto }) { reason }: Given<typeof ReleaseQueryDto>,
    @CallerName() by: string | null,
  ): Promise<void> {
    const holder = await this.leases.holderOf(repositoryId);
    if (!holder) {
      const message = `No run holds the lock of repository ${repositoryId}.`;
      throw new RepotideError('not_found', 'lock_not_held', message);
    }
    const { executionId, podName, fence } = holder;
    const run = { execution_id: executionId, pod_name: podName };
    const fields = { repository_id: repositoryId, ...run, fence, by: by ?? '', reason };
    this.logger.warn(fields, 'lock released on request');
    // Before the lease is broken, because a pod that notices the break must not queue the run again.
    const why = `The lock of the repository was released on request: ${reason}`;
    const isEnded = await this.executions.revoke(holder, why);
    this.hints.publish({ kind: 'cancel_requested', executionId });
    // A holder that stops at once releases its lease by itself.
    if ((await this.leases.breakLease(repositoryId, holder)) || isEnded) return;
    const message = `${podName} released repository ${repositoryId} meanwhile. List the locks again.`;
    throw new RepotideError('conflict', 'lock_changed', message, { details: run });
  }

  private async describe(lease: HeldLease) {
    const [execution, repository] = await Promise.all([
      this.executions.find(lease.executionId),
      this.repositories.findIncludingDeleted(lease.repositoryId),
    ]);
    return {
      ...lease,
      projectPath: repository?.projectPath ?? null,
      branch: repository?.branch ?? null,
      heldSince: execution?.startedAt ?? null,
      executionStatus: execution?.status ?? null,
      heartbeatAt: execution?.heartbeatAt ?? null,
      cancelRequestedAt: execution?.cancelRequestedAt ?? null,
    };
  }
}
