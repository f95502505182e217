import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { LeaderElection, Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { attempt, type Chore } from './chore.js';
import { CHORE_GROUPS } from './chores.js';
import { Loop } from './loop.js';

/** Runs the chores of {@link CHORE_GROUPS} while this pod leads. */
@Injectable()
export class ChoreRunner implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly loops: Loop[] = [];
  private stopped: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly modules: ModuleRef,
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: Logger,
    private readonly election: LeaderElection,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.roles.length === 0) return;
    for (const { everySeconds, runsAtStart, chores } of CHORE_GROUPS) {
      const loop = new Loop(() => this.run(chores));
      this.loops.push(loop);
      if (runsAtStart) await loop.run();
      loop.start(everySeconds(this.config) * 1000);
    }
  }

  /** Runs first in a shutdown, which lasts until the runs of this pod have ended: another pod takes the lead meanwhile. */
  onModuleDestroy(): void {
    this.stopping.abort();
    this.stopped = Promise.all([...this.loops.map((loop) => loop.stop()), this.election.stepDown()]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  /** Runs each chore once, in order, if this pod leads. Never throws. */
  async run(chores: readonly Type<Chore>[]): Promise<void> {
    for (const type of chores) {
      const chore = this.modules.get(type);
      if (!this.election.isLeader()) chore.standBy?.();
      else if (!this.stopping.signal.aborted)
        await attempt(this.logger, chore.name, () => chore.run(this.stopping.signal));
    }
  }
}
