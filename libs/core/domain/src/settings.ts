/** What operators change while Repotide runs. Read from the database whenever it matters, so that all pods obey alike. */
export interface RuntimeSettings {
  /** No pod claims a tick. Due ticks stay due; runs that people or webhooks ask for go on. */
  schedulingPaused: boolean;
  /** Time limit of runs that start from now on; null: MAX_RUN_SECONDS of the pod. */
  maxRunSeconds: number | null;
}

export type RuntimeSettingName = keyof RuntimeSettings;

/** A setting as it is in force, with what it means. */
export interface SettingInForce {
  /** In snake_case, as the table and the API have it. */
  name: string;
  value: unknown;
  default: unknown;
  /** In words, e.g. `true or false`. */
  type: string;
  description: string;
  /** Who changed it last; null while nobody has. */
  updatedBy: string | null;
  updatedAt: Date | null;
  /** How often it was changed. */
  revision: number;
}

/** Of all settings together: grows with each change to any. */
export function revisionOfSettings(settings: readonly Pick<SettingInForce, 'revision'>[]): number {
  return settings.reduce((sum, { revision }) => sum + revision, 0);
}

export abstract class SettingsStore {
  abstract read(): Promise<RuntimeSettings>;
  /** All of them, in a fixed order. */
  abstract list(): Promise<SettingInForce[]>;
  /**
   * Changes those that are named, all or none. Once it resolves, every pod obeys: no claim that began before commits
   * after it. Null gives a setting its default back.
   * @param changes by name in snake_case.
   * @param expectedRevision of {@link revisionOfSettings}.
   * @throws invalid `setting_unknown`, `setting_invalid` with the field in its details; conflict `revision_mismatch`.
   */
  abstract update(
    changes: Readonly<Record<string, unknown>>,
    updatedBy: string | null,
    expectedRevision?: number,
  ): Promise<SettingInForce[]>;
}
