import { type PodDirectory } from '@core/domain';

/** Where no pods can be followed. @param reason completes "Take-over rests on heartbeats: ...". */
export function createNoPodDirectory(reason: string): PodDirectory {
  return {
    start: () => undefined,
    stateOf: () => 'unknown',
    onGone: () => undefined,
    describe: () => ({ source: 'heartbeats', reason }),
  };
}
