import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { toRepotideError, Dispatcher, LeaderElection, Logger, PodRegistry } from '@core/domain';
import { type Config } from '@platform/config';
import { ApiRoute } from '../http/api-route.js';
import { RequireRole } from '../access/role.js';
import { CONFIG } from '../injection-tokens.js';
import { ClusterDto, PodDto } from './cluster.dto.js';
import { packageVersion } from './version.js';

const VERSION = packageVersion();

@ApiTags('cluster')
@Controller('api/v1/cluster')
export class ClusterController {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'mode'>,
    private readonly pods: PodRegistry,
    private readonly election: LeaderElection,
    private readonly dispatcher: Dispatcher,
    private readonly logger: Logger,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'Show the pods, their leader and the queue',
    description: 'Where Redis does not answer, what it would tell is null.',
    answers: ClusterDto,
  })
  async getCluster(): Promise<ClusterDto> {
    const [pods, leader, queueDepth] = await Promise.all([
      this.pods.list(),
      this.known('leader', () => this.election.leader()),
      this.known('queue', () => this.dispatcher.depth()),
    ]);
    return {
      mode: this.config.mode,
      version: VERSION,
      leader,
      queue_depth: queueDepth,
      pods: pods.map((pod) => PodDto.of(pod, leader)),
    };
  }

  /** The page that people look at in trouble must not fail because of it. */
  private async known<T>(what: string, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (thrown) {
      this.logger.warn({ what, error_code: toRepotideError(thrown).code }, 'Part of the cluster is unknown');
      return null;
    }
  }
}
