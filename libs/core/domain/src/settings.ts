/** Settings that operators change at run time. Pods read them from the database at each use, so that all agree. */
export interface RuntimeSettings {
  /** No pod claims a tick, and due ticks stay due. Manual and webhook runs still work. */
  schedulingPaused: boolean;
  /** Time limit of runs that start after the change; null: the pod's MAX_RUN_SECONDS. */
  maxRunSeconds: number | null;
}

/** A setting's current value and its description. */
export interface SettingState {
  /** In snake_case, as in the table and the API. */
  name: string;
  value: unknown;
  default: unknown;
  /** In words, e.g. `true or false`. */
  type: string;
  description: string;
  /** The caller of the last change; null before the first. */
  updatedBy: string | null;
  updatedAt: Date | null;
  /** Number of changes. */
  revision: number;
}

/** One revision for all settings together: every change increases it. */
export function revisionOfSettings(settings: readonly Pick<SettingState, 'revision'>[]): number {
  return settings.reduce((sum, { revision }) => sum + revision, 0);
}
