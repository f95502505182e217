import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Logger, PodDirectory } from '@core/domain';
import { type Config } from '@platform/config';
import { isInCluster } from '../composition/pod-directory.js';
import { CONFIG, IS_DATA_EXCLUSIVE } from '../injection-tokens.js';
import { attempt } from './chore.js';
import { RecoverLostRuns } from './recover-lost-runs.js';

/** Takes over the runs of processes that are known to be dead, before the reaper finds them by their heartbeats. */
@Injectable()
export class LostPods implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: Logger,
    private readonly pods: PodDirectory,
    @Inject(IS_DATA_EXCLUSIVE) private readonly isDataExclusive: boolean,
    private readonly lostRuns: RecoverLostRuns,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.roles.length === 0) return;
    this.pods.onPodEnd((podName, { reason, hasSuccessor }) => {
      if (podName === this.config.pod.name && (reason === 'deleted' || reason === 'replaced'))
        this.stopSelf();
      // A successor with the same name recovers these runs itself; here they cannot be distinguished from its own.
      if (!hasSuccessor) void this.takeOver([podName]);
    });
    this.pods.start(this.stopping.signal);
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /**
   * Recovers the runs of this process's predecessor, which is dead: all runs of an embedded database, or in a cluster
   * the runs under this pod's name (a restarted container). Call it before this process starts a run.
   */
  async recoverOwn(): Promise<void> {
    if (this.isDataExclusive) await this.lostRuns.recover({ staleAfterSeconds: 0 });
    else if (isInCluster(this.config)) {
      const podNames = [this.config.pod.name];
      await this.lostRuns.recover({ podNames });
      await attempt(this.logger, 'take-over', () => this.lostRuns.breakLeasesOf(podNames));
    }
  }

  /** Other pods take over the runs of this one, which only a lost contact with its node keeps alive. */
  private stopSelf(): void {
    this.logger.warn({}, 'this pod was deleted from the cluster; stopping');
    process.kill(process.pid, 'SIGTERM');
  }

  /** Recovers the runs of pods that are known to be dead, and breaks their leases. Never throws. */
  async takeOver(podNames: readonly string[]): Promise<void> {
    await attempt(this.logger, 'take-over', () => this.lostRuns.recover({ podNames }));
    await attempt(this.logger, 'leases', () => this.lostRuns.breakLeasesOf(podNames));
  }
}
