import { Inject, Injectable } from '@nestjs/common';
import { PushStore } from '@adapters/postgres';
import {
  ExecutionStore,
  GenerationStore,
  RepositoryStore,
  RepotideError,
  type RunHandlerName,
} from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { type Chore } from './chore.js';

/** Queues a sync for each repository that received a push during its last run. */
@Injectable()
export class QueueFollowUps implements Chore {
  readonly name = 'follow-ups';

  constructor(private readonly pushes: PushStore) {}

  async run(): Promise<void> {
    await this.pushes.queueFollowUps();
  }
}

/** Queues a sync for each index that a late writer may have changed, instead of waiting for the next tick. */
@Injectable()
export class QueueIndexChecks implements Chore {
  readonly name = 'check';

  constructor(
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
  ) {}

  async run(): Promise<void> {
    for (const { id } of await this.repositories.listSuspect())
      await queueRecoveryRun(id, 'repository_sync', this.executions);
  }
}

/**
 * Queues a sync for each repository that a requested rebuild lacks: it was busy when the rebuild was requested, its pod died,
 * or a pod with the former model took its run.
 */
@Injectable()
export class QueueRebuilds implements Chore {
  readonly name = 'rebuild';

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'lease'>,
    private readonly executions: ExecutionStore,
    private readonly generations: GenerationStore,
  ) {}

  async run(): Promise<void> {
    for (const { id } of await this.generations.listUnbuilt(this.config.lease.ttlSeconds))
      await queueRecoveryRun(id, 'repository_sync', this.executions);
  }
}

/** Queues a purge for each deleted repository that still has points. */
@Injectable()
export class QueuePurges implements Chore {
  readonly name = 'purge';

  constructor(
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
  ) {}

  async run(): Promise<void> {
    for (const { id } of await this.repositories.listUnpurged()) {
      const isQueued = await queueRecoveryRun(id, 'purge', this.executions);
      if (!isQueued) await this.cancelOtherRuns(id);
    }
  }

  /** The repository is busy with a purge, which continues, or with other runs, which its deletion must cancel. */
  private async cancelOtherRuns(repositoryId: string): Promise<void> {
    const page = { limit: 1, offset: 0 };
    const busy = await this.executions.list({ repositoryId, status: ['queued', 'running'] }, page);
    for (const { id, handler } of busy.items) {
      if (handler !== 'purge') await this.executions.requestCancel(id);
    }
  }
}

/** Queues a run on behalf of the service itself. @returns false when the repository is busy. */
export async function queueRecoveryRun(
  repositoryId: string,
  handler: RunHandlerName,
  executions: ExecutionStore,
): Promise<boolean> {
  const run = { repositoryId, trigger: 'recovery', requestedBy: null, fullSync: false, handler } as const;
  try {
    await executions.enqueue(run);
    return true;
  } catch (error) {
    if (error instanceof RepotideError && error.kind === 'conflict') return false;
    throw error;
  }
}
