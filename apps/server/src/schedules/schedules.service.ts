import { Inject, Injectable } from '@nestjs/common';
import { cronOf, nextTick, nextTicks, scheduleTiming } from '@core/schedules';
import {
  type NewSchedule,
  type Page,
  type Schedule,
  type ScheduleChanges,
  type ScheduleSort,
  ScheduleStore,
  Hints,
  type SortedPageRequest,
  type VisibleRepositories,
} from '@core/domain';
import { type Config } from '@platform/config';
import { assertVisibleRepository } from '../access/scope-check.js';
import { existing, naming } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { assertTiming } from './assert-timing.js';

const SHOWN_TICKS = 5;

/** A schedule and its next ticks, soonest first; none while it is paused. */
export interface UpcomingSchedule extends Schedule {
  nextTicks: Date[];
}

export type ScheduleRequest = Pick<NewSchedule, 'repositoryId' | 'cronExpression'> & ScheduleChanges;

/** Edits schedules. Postgres holds the state; after an edit the schedulers are woken. */
@Injectable()
export class SchedulesService {
  constructor(
    private readonly schedules: ScheduleStore,
    private readonly hints: Hints,
    @Inject(CONFIG) private readonly config: Pick<Config, 'schedule'>,
  ) {}

  /** @throws invalid `cron_invalid`, `timezone_invalid`, `repository_not_found`. */
  async create(request: ScheduleRequest, visible: VisibleRepositories = null): Promise<UpcomingSchedule> {
    const schedule: NewSchedule = {
      ...request,
      timezone: request.timezone ?? 'UTC',
      isActive: request.isActive ?? true,
      misfireGraceSeconds: request.misfireGraceSeconds ?? this.config.schedule.misfireGraceSeconds,
    };
    assertTiming(schedule.cronExpression, schedule.timezone);
    try {
      assertVisibleRepository(visible, request.repositoryId);
      const next = (now: Date) => nextTick(cronOf(schedule), schedule.timezone, now);
      return await this.edited(this.schedules.create(schedule, next));
    } catch (error) {
      throw naming(error, { repository_not_found: 'repository_id' });
    }
  }

  async list(
    filter: { repositoryId?: string; isActive?: boolean; visible?: VisibleRepositories },
    page: SortedPageRequest<ScheduleSort>,
  ): Promise<Page<UpcomingSchedule>> {
    const [{ items, total }, now] = await Promise.all([
      this.schedules.list(filter, page),
      this.schedules.now(),
    ]);
    return { items: items.map((schedule) => upcoming(schedule, now)), total };
  }

  /** @throws not_found `schedule_not_found`, for a deleted one too. */
  async get(scheduleId: string): Promise<UpcomingSchedule> {
    const [schedule, now] = await Promise.all([this.schedules.find(scheduleId), this.schedules.now()]);
    return upcoming(existing(schedule, 'schedule', scheduleId), now);
  }

  /**
   * Ticks that were due before an edit of the timing are recorded as superseded.
   * @throws not_found `schedule_not_found`; conflict `revision_mismatch`; invalid as at creation.
   */
  async update(
    scheduleId: string,
    changes: ScheduleChanges,
    expectedRevision: number | undefined,
  ): Promise<UpcomingSchedule> {
    const { cronExpression, timezone } = { ...(await this.get(scheduleId)), ...changes };
    assertTiming(cronExpression, timezone);
    return this.edited(this.schedules.update(scheduleId, changes, scheduleTiming, expectedRevision));
  }

  /** Safe to repeat: a schedule that is already in this state does not change. @throws not_found `schedule_not_found`. */
  async setActive(scheduleId: string, isActive: boolean): Promise<UpcomingSchedule> {
    const found = await this.get(scheduleId);
    if (found.isActive === isActive) return found;
    return this.edited(this.schedules.update(scheduleId, { isActive }, scheduleTiming));
  }

  /** @throws not_found `schedule_not_found`, also when it is repeated. */
  async remove(scheduleId: string): Promise<void> {
    await this.schedules.softDelete(scheduleId, scheduleTiming);
    this.hints.publish({ kind: 'schedules_changed' });
  }

  private async edited(edit: Promise<Schedule>): Promise<UpcomingSchedule> {
    const schedule = await edit;
    this.hints.publish({ kind: 'schedules_changed' });
    return upcoming(schedule, await this.schedules.now());
  }
}

/** The next ticks, soonest first. */
export function upcomingTicks(
  timing: Pick<Schedule, 'repositoryId' | 'cronExpression' | 'timezone'>,
  now: Date,
): Date[] {
  return nextTicks(cronOf(timing), timing.timezone, now, SHOWN_TICKS);
}

function upcoming(schedule: Schedule, now: Date): UpcomingSchedule {
  return { ...schedule, nextTicks: schedule.isActive ? upcomingTicks(schedule, now) : [] };
}
