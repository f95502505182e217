import { type Logger, type PodDirectory } from '@core/domain';

/** Where no pods can be followed; says so once. @param reason completes "Take-over rests on heartbeats: ...". */
export function createNoPodDirectory(reason: string, logger: Logger): PodDirectory {
  return {
    start: () => logger.info({ reason }, 'pods are not followed; heartbeats decide'),
    stateOf: () => 'unknown',
    onGone: () => undefined,
    describe: () => ({ source: 'heartbeats', reason }),
  };
}
