import { Inject, Injectable } from '@nestjs/common';
import { type ScheduleWaker, type SettingInForce, type SettingsStore } from '@core/domain';
import { SCHEDULE_WAKER, SETTINGS_STORE } from '../injection-tokens.js';

/** Runtime settings. Every pod reads them from the database when it needs them. */
@Injectable()
export class SettingsService {
  constructor(
    @Inject(SETTINGS_STORE) private readonly settings: SettingsStore,
    @Inject(SCHEDULE_WAKER) private readonly waker: ScheduleWaker,
  ) {}

  list(): Promise<SettingInForce[]> {
    return this.settings.list();
  }

  /** @throws invalid `setting_invalid`; conflict `revision_mismatch`. */
  async update(
    changes: Readonly<Record<string, unknown>>,
    updatedBy: string | null,
    expectedRevision: number | undefined,
  ): Promise<SettingInForce[]> {
    const settings = await this.settings.update(changes, updatedBy, expectedRevision);
    // What stayed due while scheduling was paused should not wait for the next poll.
    this.waker.wake();
    return settings;
  }
}
