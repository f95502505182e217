import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import {
  toRepotideError,
  type Claim,
  type Dispatcher,
  type Execution,
  type Hints,
  type Logger,
  type ScheduleStore,
} from '@core/domain';
import { decideClaim, nextTick, parseCron } from '@core/schedules';
import { type Config } from '@platform/config';
import { CONFIG, DISPATCHER, HINTS, LOGGER, SCHEDULE_STORE } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { TickTimers } from './tick-timers.js';

/**
 * Wakes the claim: a timer for each repository's next stored tick, and a poll that bounds what timers and hints may
 * miss. Postgres decides what is due and who runs it.
 */
@Injectable()
export class SchedulerService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private poll: NodeJS.Timeout | undefined;
  private unsubscribe: () => void = () => undefined;
  private isStopped = false;
  private current: Promise<void> | null = null;
  private isWokenAgain = false;
  /** Unreadable schedules by id and revision, so that each is told of once. */
  private readonly complainedOf = new Set<string>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SCHEDULE_STORE) private readonly schedules: ScheduleStore,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher,
    @Inject(HINTS) private readonly hints: Hints,
    private readonly metrics: Metrics,
    @Inject(TickTimers) private readonly timers: TickTimers,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.roles.includes('scheduler')) return;
    this.poll = setInterval(() => this.wake(), this.config.schedule.pollSeconds * 1000);
    this.unsubscribe = this.hints.subscribe(({ kind }) => {
      if (kind === 'schedules_changed') this.wake();
    });
    this.wake();
    await this.current;
  }

  /** Looks for due ticks and arms the timers anew. Calls during a look are answered by one more look after it. */
  wake(): void {
    if (this.isStopped || this.poll === undefined) return;
    if (this.current) {
      this.isWokenAgain = true;
      return;
    }
    this.current = this.look().finally(() => {
      this.current = null;
      if (!this.isWokenAgain) return;
      this.isWokenAgain = false;
      this.wake();
    });
  }

  /** At the very start of a stop: a tick of this moment is for the other pods. */
  onModuleDestroy(): void {
    this.isStopped = true;
    clearInterval(this.poll);
    this.unsubscribe();
    this.timers.clear();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.current;
  }

  private async look(): Promise<void> {
    try {
      await this.primeNew();
      await this.claimAllDue();
      if (this.isStopped) return;
      const upcoming = await this.schedules.listUpcoming();
      const databaseNow = await this.schedules.now();
      this.timers.arm(upcoming, databaseNow, () => this.wake());
    } catch (thrown) {
      const error = toRepotideError(thrown);
      this.logger.warn({ error_code: error.code, error: error.message }, 'looking for due schedules failed');
    }
  }

  /** Schedules are rows: one that was inserted by SQL gets its first tick here. */
  private async primeNew(): Promise<void> {
    const problems = await this.schedules.primeNew(({ cronExpression, timezone }, now) =>
      nextTick(parseCron(cronExpression), timezone, now),
    );
    for (const { message, details } of problems) {
      const key = `${String(details['schedule_id'])}@${String(details['revision'])}`;
      if (this.complainedOf.has(key)) continue;
      this.complainedOf.add(key);
      this.logger.warn(details, message);
    }
  }

  /** No more at once than this pod could run itself: the other pods take their share of a full minute. */
  private async claimAllDue(): Promise<void> {
    let isQueueUp = true;
    while (!this.isStopped) {
      const claims = await this.schedules.claimDue(decideClaim, this.config.worker.concurrency);
      if (claims.length === 0) return;
      for (const claim of claims) this.note(claim);
      const executions = claims.flatMap(({ execution }) => (execution ? [execution] : []));
      if (isQueueUp) isQueueUp = await this.dispatch(executions);
    }
  }

  /**
   * A claimed tick waits in Postgres for the reconciler when the queue does not take it. One that nobody claims within its
   * grace is missed, so a queue that is down must not end the claiming.
   */
  private async dispatch(executions: readonly Execution[]): Promise<boolean> {
    try {
      await Promise.all(executions.map((execution) => this.dispatcher.dispatch(execution)));
      return true;
    } catch (thrown) {
      const { code, message } = toRepotideError(thrown);
      this.logger.warn({ error_code: code, error: message }, 'claimed ticks wait for the queue');
      return false;
    }
  }

  private note({ schedule, execution }: Claim): void {
    this.logger.info(
      {
        schedule_id: schedule.id,
        repository_id: schedule.repositoryId,
        execution_id: execution?.id ?? null,
        scheduled_for: execution?.scheduledFor ?? null,
        next_run_at: schedule.nextRunAt,
      },
      'tick claimed',
    );
    this.metrics.ticks.inc({ outcome: execution ? 'run' : 'passed_over' });
    if (execution?.scheduledFor)
      this.metrics.claimLag.observe(secondsBetween(execution.scheduledFor, execution.queuedAt));
  }
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1000);
}
