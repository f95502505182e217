import { Injectable } from '@nestjs/common';
import { SettingsStore } from '@adapters/postgres';
import { ScheduleWaker, type SettingState } from '@core/domain';

/** Runtime settings. Every pod reads them from the database when it needs them. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly settings: SettingsStore,
    private readonly waker: ScheduleWaker,
  ) {}

  list(): Promise<SettingState[]> {
    return this.settings.list();
  }

  /** @throws invalid `setting_invalid`; conflict `revision_mismatch`. */
  async update(
    changes: Readonly<Record<string, unknown>>,
    updatedBy: string | null,
    expectedRevision: number | undefined,
  ): Promise<SettingState[]> {
    const settings = await this.settings.update(changes, updatedBy, expectedRevision);
    // Ticks that became due while scheduling was paused should not wait for the next poll.
    this.waker.wake();
    return settings;
  }
}
