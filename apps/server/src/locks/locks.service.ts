import { Injectable } from '@nestjs/common';
import pMap from 'p-map';
import {
  RepotideError,
  type Execution,
  ExecutionStore,
  type HeldLease,
  LeaseManager,
  Logger,
  type Page,
  type PageRequest,
  type Repository,
  RepositoryStore,
} from '@core/domain';
/** Of ten pooled connections, so that a long list leaves some for other requests. */
const LOOK_UPS_AT_ONCE = 4;

/** A held lease, with its run. */
export interface Lock {
  lease: HeldLease;
  execution: Execution | null;
  repository: Repository | null;
}

/** Lists the leases on repositories, and breaks them in an emergency. */
@Injectable()
export class LocksService {
  constructor(
    private readonly leases: LeaseManager,
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
    private readonly logger: Logger,
  ) {}

  /** By repository. @throws temporary `lease_unavailable`. */
  async list({ limit, offset }: PageRequest): Promise<Page<Lock>> {
    const held = (await this.leases.list()).sort((a, b) => (a.repositoryId < b.repositoryId ? -1 : 1));
    const shown = held.slice(offset, offset + limit);
    const items = await pMap(shown, (lease) => this.describe(lease), { concurrency: LOOK_UPS_AT_ONCE });
    return { items, total: held.length };
  }

  /**
   * Breaks the lease and cancels its run: a live holder notices at its next heartbeat or renewal, the row of a dead one
   * ends as cancelled instead of being tried again, and the fence refuses its late writes.
   * @throws not_found `lock_not_held`; conflict `lock_changed` when somebody else took it meanwhile; temporary
   *   `lease_unavailable`.
   */
  async release(repositoryId: string, order: { by: string; reason: string }): Promise<void> {
    const holder = await this.leases.holderOf(repositoryId);
    if (!holder) {
      throw new RepotideError('not_found', 'lock_not_held', `Nobody holds repository ${repositoryId}.`);
    }
    const { executionId: execution_id, podName: pod_name, fence } = holder;
    this.logger.warn(
      { repository_id: repositoryId, execution_id, pod_name, fence, ...order },
      'lock released on request',
    );
    // First: a pod that notices the broken lease must also see the cancel request.
    await this.executions.requestCancel(holder.executionId);
    if (await this.leases.breakLease(repositoryId, holder)) return;
    throw new RepotideError(
      'conflict',
      'lock_changed',
      `${holder.podName} gave repository ${repositoryId} up by itself meanwhile. Look again.`,
      { details: { pod_name, execution_id } },
    );
  }

  private async describe(lease: HeldLease): Promise<Lock> {
    const [execution, repository] = await Promise.all([
      this.executions.find(lease.executionId),
      this.repositories.findIncludingDeleted(lease.repositoryId),
    ]);
    return { lease, execution, repository };
  }
}
