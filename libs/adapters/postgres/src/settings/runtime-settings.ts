import { z } from 'zod';
import { type RuntimeSettings } from '@core/domain';

interface Definition<Value> {
  schema: z.ZodType<Value>;
  default: Value;
  /** The accepted values, in words. */
  type: string;
  description: string;
}

/** Every runtime setting: name, type, default, meaning. Each one has an effect somewhere in the code. */
export const RUNTIME_SETTINGS: {
  readonly [Name in keyof RuntimeSettings]: Definition<RuntimeSettings[Name]>;
} = {
  schedulingPaused: {
    schema: z.boolean(),
    default: false,
    type: 'true or false',
    description:
      'While true no pod claims a tick. Due ticks stay due, and once it is false again misfire grace and coalescing decide on them. Manual and webhook runs go on.',
  },
  maxRunSeconds: {
    // Same limit as MAX_RUN_SECONDS: a week at most.
    schema: z.int().min(1).max(604_800).nullable(),
    default: null,
    type: 'a whole number from 1 to 604800, or null',
    description:
      'Time limit of runs that start from now on, for all pods. Null: what MAX_RUN_SECONDS says on each.',
  },
};
