import { Inject, Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { type Clock, type Schedule } from '@core/domain';
import { CLOCK } from '../tokens.js';

type Upcoming = Pick<Schedule, 'repositoryId' | 'nextRunAt'>;

/**
 * One cron job for each repository in Nest's SchedulerRegistry, named `repo_sync_<repository_id>` and armed at the
 * instant that Postgres stored. The library's own cron arithmetic is not used: pods with different versions of it
 * would compute different ticks.
 */
@Injectable()
export class TickTimers {
  private readonly armedFor = new Map<string, number>();

  constructor(
    @Inject(SchedulerRegistry) private readonly registry: SchedulerRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param databaseNow the database's clock now: a timer fires when it, not this pod's clock, reaches the tick. */
  arm(upcoming: readonly Upcoming[], databaseNow: Date, onDue: () => void): void {
    const skewMs = databaseNow.getTime() - this.clock.now().getTime();
    const wanted = earliestByName(upcoming);
    for (const name of this.armedFor.keys()) {
      if (!wanted.has(name)) this.disarm(name);
    }
    for (const [name, dueMs] of wanted) {
      if (this.armedFor.get(name) === dueMs) continue;
      this.disarm(name);
      // cron refuses an instant that is past; one that is due right now fires a moment later.
      const fireAtMs = Math.max(dueMs - skewMs, this.clock.now().getTime() + 50);
      const onTick = (): void => {
        // Fired early by a clock's breath, it must be armed again for the same instant.
        this.disarm(name);
        onDue();
      };
      const job = CronJob.from({ cronTime: new Date(fireAtMs), onTick, start: true });
      this.registry.addCronJob(name, job);
      this.armedFor.set(name, dueMs);
    }
  }

  clear(): void {
    for (const name of [...this.armedFor.keys()]) this.disarm(name);
  }

  private disarm(name: string): void {
    if (!this.armedFor.delete(name)) return;
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
