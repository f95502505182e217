import { Get, Inject } from '@nestjs/common';
import { PodRegistry } from '@adapters/postgres';
import {
  toRepotideError,
  ExecutionStore,
  LeaderElection,
  Logger,
  type VisibleRepositories,
} from '@core/domain';
import { type Config } from '@platform/config';
import { ApiRoute, Resource } from '../http/api-route.js';
import { Visible } from '../http/parameters.js';
import { RequireRole } from '../access/role.js';
import { CONFIG } from '../injection-tokens.js';
import { ALIVE_WITHIN_SECONDS, ClusterDto } from './cluster.schema.js';
import { packageVersion } from './version.js';

const VERSION = packageVersion();

@Resource('cluster')
export class ClusterController {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'mode'>,
    private readonly pods: PodRegistry,
    private readonly election: LeaderElection,
    private readonly executions: ExecutionStore,
    private readonly logger: Logger,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'Show the pods, their leader and the queue',
    description: 'Fields that need Redis are null while it does not answer.',
    answers: ClusterDto,
  })
  async getCluster(@Visible() visible: VisibleRepositories) {
    const [seen, leader, queueDepth] = await Promise.all([
      this.pods.list(),
      this.known('leader', () => this.election.leader()),
      this.known('queue', () => this.countQueued(visible)),
    ]);
    const pods = seen.map((pod) => {
      const isAlive = pod.secondsSinceSeen <= ALIVE_WITHIN_SECONDS;
      return { ...pod, isAlive, isLeader: isAlive && pod.podName === leader };
    });
    return { mode: this.config.mode, version: VERSION, leader, queueDepth, pods };
  }

  private async countQueued(visible: VisibleRepositories): Promise<number> {
    if (visible === null) return this.executions.countQueued();
    const { total } = await this.executions.list({ status: ['queued'], visible }, { limit: 1, offset: 0 });
    return total;
  }

  /** People need this answer during an outage, so a failed dependency gives null instead of an error. */
  private async known<T>(part: string, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (thrown) {
      this.logger.warn({ part, error_code: toRepotideError(thrown).code }, 'Part of the cluster is unknown');
      return null;
    }
  }
}
