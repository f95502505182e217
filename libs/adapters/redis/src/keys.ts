import { type LeaseHolder } from '@core/domain';

const LEASE_INFIX = ':scheduler_lock:repo_sync_';

export function leaseKey(keyPrefix: string, repositoryId: string): string {
  return `${keyPrefix}${LEASE_INFIX}${repositoryId}`;
}

/** For `SCAN MATCH`: all leases under a prefix, which is taken literally. */
export function leasePattern(keyPrefix: string): string {
  return `${keyPrefix.replace(/[\\*?[\]]/g, '\\$&')}${LEASE_INFIX}*`;
}

export function repositoryIdOf(keyPrefix: string, key: string): string {
  return key.slice(keyPrefix.length + LEASE_INFIX.length);
}

/** `<POD_NAME>:<execution_id>:<fence>`, so that a plain `GET` answers "who". */
export function leaseValue({ podName, executionId, fence }: LeaseHolder): string {
  return executionId === '' ? podName : `${podName}:${executionId}:${fence}`;
}

/**
 * Reads from the right. A value of another form (set by hand, or by a predecessor that wrote the pod's name alone) is
 * a holder too: all of it is the name, so that it is shown and can be broken.
 */
export function parseLeaseValue(value: string): LeaseHolder {
  const [, podName, executionId, fence] = /^(.*):([^:]+):(\d+)$/s.exec(value) ?? [];
  if (podName === undefined || executionId === undefined)
    return { podName: value, executionId: '', fence: 0 };
  return { podName, executionId, fence: Number(fence) };
}

export function leaderKey(keyPrefix: string): string {
  return `${keyPrefix}:leader`;
}

export function hintChannel(keyPrefix: string): string {
  return `${keyPrefix}:hints`;
}
