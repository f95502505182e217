import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SettingsStore } from '@adapters/postgres';
import {
  errorFields,
  DispatchConsumer,
  Dispatcher,
  type Execution,
  Logger,
  type RunOutcome,
  type ActiveRun,
  type RunHandler,
  type RunHandlers,
} from '@core/domain';
import { runExecution, shutdownReason, type RunnerPorts } from '@core/executions';
import { type Config } from '@platform/config';
import { withLogContext } from '@platform/observability';
import { CONFIG, RUN_HANDLERS, RUNNER_PORTS } from '../injection-tokens.js';
import { tryDispatch } from '../chores/dispatch-queued-runs.js';
import { LostPods } from '../chores/lost-pods.service.js';

/** The share of the shutdown grace period in which runs may finish. After it, another pod continues them. */
const DRAIN_SHARE = 2 / 3;

/** Runs queued executions in this process. */
@Injectable()
export class WorkerService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private drained: Promise<void> = Promise.resolve();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: Logger,
    private readonly consumer: DispatchConsumer,
    private readonly dispatcher: Dispatcher,
    private readonly lostPods: LostPods,
    @Inject(RUN_HANDLERS) private readonly handlers: RunHandlers,
    @Inject(RUNNER_PORTS) private readonly ports: RunnerPorts,
    private readonly runtimeSettings: SettingsStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.roles.includes('worker')) return;
    await this.lostPods.recoverOwn();
    await this.consumer.start((executionId) => this.work(executionId));
  }

  /** Runs a queued execution and returns it when its run has ended. */
  async runNow(executionId: string): Promise<Execution | null> {
    const { worker, lease, pod } = this.config;
    const { maxRunSeconds } = await this.runtimeSettings.read();
    const settings = {
      podName: pod.name,
      heartbeatMs: lease.renewSeconds * 1000,
      maxRunMs: (maxRunSeconds ?? worker.maxRunSeconds) * 1000,
    };
    return withLogContext({ execution_id: executionId }, () =>
      runExecution(executionId, withRunLogContext(this.handlers), this.ports, settings, this.stopping.signal),
    );
  }

  /** Aborts the runs, so that another pod continues them. Safe to repeat. */
  stopNow(): void {
    this.stopping.abort(shutdownReason());
  }

  /** Runs first in a shutdown, because the stop of other services must not reduce the time for runs. */
  onModuleDestroy(): void {
    const drainMs = this.config.shutdown.graceSeconds * 1000 * DRAIN_SHARE;
    const deadline = setTimeout(() => this.stopNow(), drainMs);
    this.drained = this.consumer.drain().finally(() => clearTimeout(deadline));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drained;
    this.stopNow();
  }

  private async work(executionId: string): Promise<void> {
    let ended: Execution | null;
    try {
      ended = await this.runNow(executionId);
    } catch (thrown) {
      const fields = { execution_id: executionId, ...errorFields(thrown) };
      this.logger.error(fields, 'run lost; the reaper recovers it');
      return;
    }
    // Hands it over at once; the reconciler would do it only in its next round.
    if (ended?.status === 'queued' && ended.availableAt === null && this.stopping.signal.aborted)
      await tryDispatch(this.dispatcher, ended, this.logger);
  }
}

/** Adds repository, attempt and fence to every log line of a run's work. */
function withRunLogContext(handlers: RunHandlers): RunHandlers {
  const named = Object.values(handlers).map((handler): [string, RunHandler] => {
    const run = (active: ActiveRun): Promise<RunOutcome> =>
      withLogContext(
        {
          repository_id: active.repository.id,
          attempt: active.execution.attempt,
          fence: active.identity.fence,
        },
        () => handler.run(active),
      );
    return [handler.name, { ...handler, run }];
  });
  return Object.fromEntries(named) as RunHandlers;
}
