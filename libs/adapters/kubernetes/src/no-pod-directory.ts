import { type Logger, type PodDirectory } from '@core/domain';

/** For processes that cannot watch pods; logs that once. @param reason completes "Take-over uses heartbeats: ...". */
export function createNoPodDirectory(reason: string, logger: Logger): PodDirectory {
  return {
    start: () => logger.info({ reason }, 'pods are not watched; take-over uses heartbeats'),
    stateOf: () => 'unknown',
    onPodEnd: () => undefined,
    describe: () => ({ source: 'heartbeats', reason }),
  };
}
