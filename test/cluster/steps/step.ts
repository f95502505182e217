import { type World } from '../world.js';

/** @returns what was seen, in a few words, for the report. @throws Error when the promise does not hold. */
export interface Step {
  name: string;
  /** What the step checks, in one sentence. */
  promise: string;
  run: (world: World) => Promise<string>;
}
