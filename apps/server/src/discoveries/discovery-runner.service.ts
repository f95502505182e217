import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { NO_COUNTS, runDiscovery, type DiscoveryPorts } from '@core/discovery';
import {
  RepotideError,
  throwIfAborted,
  toRepotideError,
  type Discovery,
  type DiscoveryOutcome,
  type DiscoveryRun,
  DiscoveryStore,
  Hints,
  Logger,
  SourceFactory,
} from '@core/domain';
import { type Config } from '@platform/config';
import { Metrics } from '../metrics/metrics.js';
import { attempt } from '../chores/chore.js';
import { Loop } from '../chores/loop.js';
import { CONFIG } from '../injection-tokens.js';
import { nextLook, scheduleOf } from './timing.js';

/** Interval at which the end of a run in another pod is checked. */
const POLL_MS = 500;

/**
 * Runs due discoveries, one at a time in each scheduler pod. Postgres assigns each run to one pod, and to another one
 * when that pod stops responding.
 */
@Injectable()
export class DiscoveryRunnerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly loop = new Loop(() => this.runDue());
  private unsubscribe: () => void = () => undefined;
  private readonly ports: DiscoveryPorts;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles' | 'pod' | 'schedule' | 'lease'>,
    private readonly logger: Logger,
    private readonly store: DiscoveryStore,
    sources: SourceFactory,
    private readonly hints: Hints,
    private readonly metrics: Metrics,
  ) {
    const { misfireGraceSeconds } = config.schedule;
    const scheduleFor: DiscoveryPorts['scheduleFor'] = (discovery, wanted) =>
      scheduleOf(discovery, wanted, misfireGraceSeconds);
    this.ports = { store, sources, logger, scheduleFor };
  }

  onApplicationBootstrap(): void {
    if (!this.config.roles.includes('scheduler')) return;
    this.loop.start(this.config.schedule.pollSeconds * 1000);
    this.unsubscribe = this.hints.subscribe(({ kind }) => {
      if (kind === 'schedules_changed') this.loop.wake();
    });
    this.loop.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    this.stopping.abort(new RepotideError('cancelled', 'shutdown', 'The process stops.'));
    await this.loop.stop();
  }

  /**
   * Runs a discovery in this process, after all runs that were queued earlier. Uses a run that is already queued, and
   * waits if another process has claimed it.
   * @throws conflict `discovery_running`; not_found `discovery_not_found`; cancelled when the signal fires; the run is
   *   then queued again.
   */
  async runNow(
    discoveryId: string,
    request: { force: boolean; requestedBy: string },
    signal: AbortSignal,
  ): Promise<DiscoveryRun> {
    const stop = (): void => this.stopping.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await this.store.recover(this.config.lease.ttlSeconds);
      const { items } = await this.store.listRuns(discoveryId, { limit: 1, offset: 0 });
      const queued = items.find(({ status, force }) => status === 'queued' && force === request.force);
      const { id } = queued ?? (await this.store.enqueue({ discoveryId, ...request }));
      for (;;) {
        await this.runAllQueued();
        throwIfAborted(signal);
        const run = await this.store.findRun(discoveryId, id);
        if (run?.completedAt) return run;
        await sleep(POLL_MS);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private runDue(): Promise<void> {
    return attempt(this.logger, 'discovery', async () => {
      await this.store.recover(this.config.lease.ttlSeconds);
      await this.store.queueDue(nextLook);
      await this.runAllQueued();
    });
  }

  private async runAllQueued(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const claimed = await this.store.claim(this.config.pod.name);
      if (claimed === null) return;
      await this.runOne(claimed.run, claimed.discovery);
    }
  }

  private async runOne(run: DiscoveryRun, discovery: Discovery): Promise<void> {
    const lost = new AbortController();
    const beat = setInterval(() => {
      this.store.heartbeat(run).catch((thrown: unknown) => {
        if (toRepotideError(thrown).kind === 'fence_lost') lost.abort(thrown);
      });
    }, this.config.lease.renewSeconds * 1000);
    try {
      const signal = AbortSignal.any([this.stopping.signal, lost.signal]);
      await this.record(run, discovery, await runDiscovery(discovery, run, this.ports, signal));
      this.hints.publish({ kind: 'schedules_changed' });
    } catch (thrown) {
      await this.recordFailure(run, discovery, toRepotideError(thrown));
    } finally {
      clearInterval(beat);
    }
  }

  private async record(run: DiscoveryRun, { id, name }: Discovery, outcome: DiscoveryOutcome): Promise<void> {
    await this.store.finish(run, outcome);
    const { status, counts, errorCode, errorMessage } = outcome;
    this.metrics.discoveryRuns.inc({ status });
    for (const change of ['added', 'restored', 'retired'] as const)
      this.metrics.discovered.inc({ change }, counts[change]);
    const fields = { discovery_id: id, discovery: name, run_id: run.id, status, ...counts };
    if (status === 'completed') this.logger.info(fields, 'discovery ended');
    else this.logger.warn({ ...fields, error_code: errorCode, error: errorMessage }, 'discovery ended');
  }

  private async recordFailure(run: DiscoveryRun, discovery: Discovery, error: RepotideError): Promise<void> {
    // Another pod has the run, or the discovery was deleted.
    if (error.kind === 'fence_lost') return;
    if (this.stopping.signal.aborted) return this.store.handBack(run);
    await this.record(run, discovery, {
      status: 'failed',
      counts: NO_COUNTS,
      errorCode: error.code,
      errorMessage: error.message,
    });
  }
}
