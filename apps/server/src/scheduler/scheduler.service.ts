import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { type Claim, Hints, Logger, ScheduleStore } from '@core/domain';
import { decideClaim, scheduleTiming } from '@core/schedules';
import { type Config } from '@platform/config';
import { attempt } from '../chores/chore.js';
import { Loop } from '../chores/loop.js';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { TickTimers } from './tick-timers.js';

const CLAIMS_PER_BATCH = 20;
/** A timer claims everything that is due and arms the next ones, so that this many are enough for any number of schedules. */
const TIMERS = 1000;

/**
 * Claims due ticks. A timer for the next stored tick of a repository and a hint after an edit start a claim; a poll limits
 * the delay if both fail. Postgres decides which ticks are due and which pod claims them.
 */
@Injectable()
export class SchedulerService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly loop = new Loop(() => this.claimAndArm());
  private unsubscribe: () => void = () => undefined;
  private stopped: Promise<void> = Promise.resolve();
  /** Unreadable schedules by id and revision: each is logged once. */
  private readonly reported = new Set<string>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: Logger,
    private readonly schedules: ScheduleStore,
    private readonly hints: Hints,
    private readonly metrics: Metrics,
    @Inject(TickTimers) private readonly timers: TickTimers,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.roles.includes('scheduler')) return;
    this.loop.start(this.config.schedule.pollSeconds * 1000);
    this.unsubscribe = this.hints.subscribe(({ kind }) => {
      if (kind === 'schedules_changed') this.loop.wake();
    });
    await this.loop.run();
  }

  /** Runs first in a shutdown, so that other pods claim the next ticks. */
  onModuleDestroy(): void {
    this.stopped = this.loop.stop();
    this.unsubscribe();
    this.timers.clear();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  /** Claims due ticks, then arms the timers for the next ones. */
  private claimAndArm(): Promise<void> {
    return attempt(this.logger, 'scheduler', async () => {
      await this.setFirstTicks();
      await this.claimAllDue();
      if (this.loop.isStopped) return;
      const upcoming = await this.schedules.listUpcoming(TIMERS);
      this.timers.arm(upcoming, await this.schedules.now(), () => this.loop.wake());
    });
  }

  /** Computes the first tick of schedules that were inserted with SQL. */
  private async setFirstTicks(): Promise<void> {
    const problems = await this.schedules.setFirstTicks(scheduleTiming.next);
    for (const { message, details } of problems) {
      const key = `${String(details['schedule_id'])}@${String(details['revision'])}`;
      if (this.reported.has(key)) continue;
      this.reported.add(key);
      this.logger.warn(details, message);
    }
  }

  /** Claims in batches, so that a transaction stays short. */
  private async claimAllDue(): Promise<void> {
    while (!this.loop.isStopped) {
      const claims = await this.schedules.claimDue(decideClaim, CLAIMS_PER_BATCH);
      if (claims.length === 0) return;
      for (const claim of claims) this.recordClaim(claim);
    }
  }

  private recordClaim({ schedule, execution }: Claim): void {
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
