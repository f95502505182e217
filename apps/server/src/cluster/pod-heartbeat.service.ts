import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { toRepotideError, type Logger, type PodRegistry } from '@core/domain';
import { type Config } from '@platform/config';
import { Rounds } from '../chores.js';
import { CONFIG, LOGGER, POD_REGISTRY } from '../injection-tokens.js';
import { packageVersion } from './version.js';

export const SIGN_INTERVAL_SECONDS = 15;

/** Puts this process on the list of pods, again and again while it lives. */
@Injectable()
export class PodHeartbeat implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly bootId = randomUUID();
  private readonly version = packageVersion();
  private readonly rounds = new Rounds(() => this.show());

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles' | 'pod' | 'mode'>,
    @Inject(POD_REGISTRY) private readonly pods: PodRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // A command that somebody runs is no pod.
    if (this.config.roles.length === 0) return;
    await this.rounds.round();
    this.rounds.start(SIGN_INTERVAL_SECONDS * 1000);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.config.roles.length === 0) return;
    await this.rounds.stop();
    await this.attempt(() => this.pods.leave(this.bootId));
  }

  private show(): Promise<void> {
    const { roles, pod, mode } = this.config;
    const sign = { bootId: this.bootId, podName: pod.name, roles: [...roles], version: this.version, mode };
    return this.attempt(() => this.pods.showLife(sign));
  }

  /** Nothing is decided by the list, so nothing stops for it. */
  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const { code, message } = toRepotideError(thrown);
      this.logger.warn({ error_code: code, error: message }, 'sign of life failed');
    }
  }
}
