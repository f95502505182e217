import { Injectable } from '@nestjs/common';
import pMap from 'p-map';
import {
  RepotideError,
  ExecutionStore,
  type HeldLease,
  Hints,
  LeaseManager,
  Logger,
  type Page,
  type PageRequest,
  RepositoryStore,
  type VisibleRepositories,
} from '@core/domain';
import { type RowOf } from '../http/model.js';
import { type LockDto } from './lock.schema.js';

/** Less than the default pool of ten connections, so that a long list leaves some for other requests. */
const LOOK_UPS_AT_ONCE = 4;

type Lock = RowOf<typeof LockDto>;

/** Lists the leases on repositories, and breaks them in an emergency. */
@Injectable()
export class LocksService {
  constructor(
    private readonly leases: LeaseManager,
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
    private readonly hints: Hints,
    private readonly logger: Logger,
  ) {}

  /** Ordered by repository id. @throws temporary `lease_unavailable`. */
  async list({ limit, offset }: PageRequest, visible: VisibleRepositories): Promise<Page<Lock>> {
    const all = await this.leases.list();
    const own = visible === null ? all : all.filter((lease) => visible.includes(lease.repositoryId));
    const held = own.sort((a, b) => (a.repositoryId < b.repositoryId ? -1 : 1));
    const shown = held.slice(offset, offset + limit);
    const items = await pMap(shown, (lease) => this.describe(lease), { concurrency: LOOK_UPS_AT_ONCE });
    return { items, total: held.length };
  }

  /**
   * Ends the execution as cancelled and breaks its lease. From then on every write of the holder is refused, and a hint
   * makes a living holder stop at once.
   * @throws not_found `lock_not_held`; conflict `lock_changed` when the holder has changed meanwhile; temporary
   *   `lease_unavailable`.
   */
  async release(repositoryId: string, order: { by: string; reason: string }): Promise<void> {
    const holder = await this.leases.holderOf(repositoryId);
    if (!holder) {
      throw new RepotideError(
        'not_found',
        'lock_not_held',
        `No run holds the lock of repository ${repositoryId}.`,
      );
    }
    const { executionId: execution_id, podName: pod_name, fence } = holder;
    this.logger.warn(
      { repository_id: repositoryId, execution_id, pod_name, fence, ...order },
      'lock released on request',
    );
    // Before the lease is broken, because a pod that notices the break must not queue the run again.
    const isEnded = await this.executions.revoke(
      holder,
      `The lock of the repository was released on request: ${order.reason}`,
    );
    this.hints.publish({ kind: 'cancel_requested', executionId: holder.executionId });
    // A holder that stops at once releases its lease by itself.
    if ((await this.leases.breakLease(repositoryId, holder)) || isEnded) return;
    throw new RepotideError(
      'conflict',
      'lock_changed',
      `${holder.podName} released repository ${repositoryId} meanwhile. List the locks again.`,
      { details: { pod_name, execution_id } },
    );
  }

  private async describe(lease: HeldLease): Promise<Lock> {
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
