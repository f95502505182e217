import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import {
  Embedders,
  toRepotideError,
  type Execution,
  Logger,
  type RunOutcome,
  type ActiveRun,
  type RunHandler,
  type RunHandlers,
} from '@core/domain';
import { shutdownReason, takeRun, type RunnerPorts, type TakenRun } from '@core/executions';
import { type Config } from '@platform/config';
import { withLogContext } from '@platform/observability';
import { Loop } from '../chores/loop.js';
import { CONFIG, RUN_HANDLERS, RUNNER_PORTS } from '../injection-tokens.js';
import { LostPods } from '../chores/lost-pods.service.js';
import { WorkerSlots } from './worker-slots.js';

/** The share of the shutdown grace period in which runs may finish. After it, another pod continues them. */
const DRAIN_SHARE = 2 / 3;

/** Finds work when a hint was lost, and executions whose back-off has ended. */
const POLL_MS = 1_000;
/** Another holder has the lease of its repository. */
const REFUSED_MS = 500;

/** Takes queued executions and runs them, up to the concurrency. Hints, ended runs and a poll wake it. */
@Injectable()
export class WorkerService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly loop = new Loop(() => this.round());
  private readonly running = new Set<Promise<void>>();
  private readonly slots: WorkerSlots;
  private readonly refused = new Map<string, number>();
  /** Why nothing can be taken; logged once. */
  private trouble: string | null = null;
  private unsubscribe: () => void = () => undefined;
  private drained: Promise<void> = Promise.resolve();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: Logger,
    private readonly lostPods: LostPods,
    @Inject(RUN_HANDLERS) private readonly handlers: RunHandlers,
    @Inject(RUNNER_PORTS) private readonly ports: RunnerPorts,
    private readonly embedders: Embedders,
  ) {
    this.slots = new WorkerSlots(config.worker.concurrency);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.roles.includes('worker')) return;
    await this.lostPods.recoverOwn();
    this.unsubscribe = this.ports.hints.subscribe(({ kind }) => {
      if (kind === 'work_queued') this.loop.wake();
    });
    this.loop.start(POLL_MS);
    this.loop.wake();
  }

  /** Runs a queued execution and returns it when its run has ended. */
  async runNow(executionId: string): Promise<Execution | null> {
    return withLogContext({ execution_id: executionId }, async () => {
      const taken = await this.take({ executionId });
      return taken?.kind === 'taken' ? taken.finish() : null;
    });
  }

  /** Aborts the runs, so that another pod continues them. Safe to repeat. */
  stopNow(): void {
    this.stopping.abort(shutdownReason());
  }

  /** Runs first in a shutdown, because the stop of other services must not reduce the time for runs. */
  onModuleDestroy(): void {
    const drainMs = this.config.shutdown.graceSeconds * 1000 * DRAIN_SHARE;
    const deadline = setTimeout(() => this.stopNow(), drainMs);
    this.unsubscribe();
    this.drained = this.drain().finally(() => clearTimeout(deadline));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drained;
    this.stopNow();
  }

  private async drain(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.running);
  }

  private async round(): Promise<void> {
    try {
      // Before an execution is locked, because other pods could not take it meanwhile.
      if (this.trouble !== null) await this.ports.leases.checkHealth();
      await this.takeAll();
      this.trouble = null;
    } catch (thrown) {
      const { code: error_code, message: error } = toRepotideError(thrown);
      if (this.trouble !== error_code)
        this.logger.warn({ error_code, error }, 'cannot take executions; trying again');
      this.trouble = error_code;
    }
  }

  /** @throws while Postgres or the store of the leases is down; then nothing was started. */
  private async takeAll(): Promise<void> {
    while (!this.loop.isStopped) {
      const taken = await this.takeNext();
      if (taken === null) return;
      if (taken.kind === 'refused') this.refused.set(taken.executionId, performance.now() + REFUSED_MS);
      else this.work(taken);
    }
  }

  private async takeNext(): ReturnType<typeof takeRun> {
    const { id: modelId } = this.embedders.configured.model;
    const builds = { modelId, silentAfterSeconds: this.config.lease.ttlSeconds };
    for (const limits of this.slots.takeBy()) {
      const taken = await this.take({ ...limits, builds, except: this.refusedIds() });
      if (taken !== null) return taken;
    }
    return null;
  }

  private take(wanted: Parameters<typeof takeRun>[0]): ReturnType<typeof takeRun> {
    const { worker, lease, pod } = this.config;
    const settings = {
      podName: pod.name,
      heartbeatMs: lease.renewSeconds * 1000,
      maxRunMs: worker.maxRunSeconds * 1000,
    };
    return takeRun(wanted, withRunLogContext(this.handlers), this.ports, settings, this.stopping.signal);
  }

  private work({ execution, baseUrl, finish }: TakenRun): void {
    const fields = { execution_id: execution.id };
    this.slots.begin(execution.id, { trigger: execution.trigger, baseUrl });
    const ended = withLogContext(fields, finish)
      .catch((thrown: unknown) => {
        const error = toRepotideError(thrown);
        const message = 'the end of a run could not be recorded; the reaper recovers it';
        this.logger.error({ ...fields, error_code: error.code, error: error.message }, message);
      })
      .then(() => {
        this.slots.end(execution.id);
        this.running.delete(ended);
        this.loop.wake();
      });
    this.running.add(ended);
  }

  private refusedIds(): string[] {
    const now = performance.now();
    for (const [id, until] of this.refused) if (until <= now) this.refused.delete(id);
    return [...this.refused.keys()];
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
