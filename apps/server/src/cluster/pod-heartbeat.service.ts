import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PodRegistry } from '@adapters/postgres';
import { Embedders, Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { attempt } from '../chores/chore.js';
import { Loop } from '../chores/loop.js';
import { CONFIG } from '../injection-tokens.js';
import { packageVersion } from './version.js';

/** A heartbeat of a run may be rarer. */
const LONGEST_INTERVAL_MS = 15_000;

/** Keeps this process in the list of pods (`GET /cluster`), also while it drains. */
@Injectable()
export class PodHeartbeat implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly bootId = randomUUID();
  private readonly version = packageVersion();
  private readonly loop = new Loop(() => this.beat());

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles' | 'pod' | 'mode' | 'lease'>,
    private readonly pods: PodRegistry,
    private readonly embedders: Embedders,
    private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.roles.length === 0) return;
    await this.loop.run();
    this.loop.start(Math.min(this.config.lease.renewSeconds * 1000, LONGEST_INTERVAL_MS));
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.config.roles.length === 0) return;
    await this.loop.stop();
    await attempt(this.logger, 'heartbeat', () => this.pods.leave(this.bootId));
  }

  private beat(): Promise<void> {
    const { roles, pod, mode, lease } = this.config;
    const { id: modelId } = this.embedders.configured.model;
    const names = { bootId: this.bootId, podName: pod.name, version: this.version };
    const self = { ...names, roles: [...roles], mode, modelId };
    return attempt(this.logger, 'heartbeat', () => this.pods.showLife(self, lease.ttlSeconds / 2));
  }
}
