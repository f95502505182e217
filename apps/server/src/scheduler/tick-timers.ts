import { Inject, Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Clock, type Schedule } from '@core/domain';
type Upcoming = Pick<Schedule, 'repositoryId' | 'nextRunAt'>;

/** The longest timer of Node.js; a longer one would fire at once. */
const MAX_WAIT_MS = 2_147_483_647;
/** Limits the rate of claims while a due tick cannot be claimed. */
const MIN_WAIT_MS = 50;

interface Armed {
  dueMs: number;
  timer: NodeJS.Timeout;
}

/**
 * One cron job for each repository that is due next, in Nest's SchedulerRegistry, named `repo_sync_<repository_id>` and armed at the
 * instant that Postgres stored. The library's own cron arithmetic is not used: pods with different versions of it
 * would compute different ticks. Nor is its timer: it throws an uncaught error when it fires slightly off its date, and
 * it follows a wall clock that may be set.
 */
@Injectable()
export class TickTimers {
  private readonly armed = new Map<string, Armed>();

  constructor(
    @Inject(SchedulerRegistry) private readonly registry: SchedulerRegistry,
    private readonly clock: Clock,
  ) {}

  /** @param databaseNow timers fire by the database's clock, not by this pod's. */
  arm(upcoming: readonly Upcoming[], databaseNow: Date, onDue: () => void): void {
    const wanted = earliestByName(upcoming);
    for (const name of this.armed.keys()) {
      if (!wanted.has(name)) this.disarm(name);
    }
    for (const [name, dueMs] of wanted) {
      if (this.armed.get(name)?.dueMs === dueMs) continue;
      this.disarm(name);
      const waitMs = Math.max(dueMs - databaseNow.getTime(), MIN_WAIT_MS);
      const onTick = (): void => {
        // Disarmed first, because after a slightly early timer the same instant must be armed again.
        this.disarm(name);
        onDue();
      };
      const cronTime = new Date(this.clock.now().getTime() + waitMs);
      // Without an offset, the library reads the system's time zone from Intl, which takes 0.5 ms for each job.
      const job = CronJob.from({ cronTime, onTick, start: false, utcOffset: 0 });
      const timer = setTimeout(() => void job.fireOnTick(), Math.min(waitMs, MAX_WAIT_MS));
      this.registry.addCronJob(name, job);
      this.armed.set(name, { dueMs, timer });
    }
  }

  clear(): void {
    for (const name of [...this.armed.keys()]) this.disarm(name);
  }

  private disarm(name: string): void {
    const armed = this.armed.get(name);
    if (!armed) return;
    clearTimeout(armed.timer);
    this.armed.delete(name);
    this.registry.deleteCronJob(name);
  }
}

function earliestByName(upcoming: readonly Upcoming[]): Map<string, number> {
  const earliest = new Map<string, number>();
  for (const { repositoryId, nextRunAt } of upcoming) {
    if (!nextRunAt) continue;
    const name = `repo_sync_${repositoryId}`;
    earliest.set(name, Math.min(earliest.get(name) ?? Infinity, nextRunAt.getTime()));
  }
  return earliest;
}
