import { type HostBudget, type LeaseHolder } from '@core/domain';

const LEASE_INFIX = ':scheduler_lock:repo_sync_';
const PROGRESS_INFIX = ':upload_progress:';

export const leaderKey = (keyPrefix: string): string => `${keyPrefix}:leader`;
/** Written by readiness checks; expires after a second. */
export const writeCheckKey = (keyPrefix: string): string => `${keyPrefix}:write_check`;
export const leaseKey = (keyPrefix: string, repositoryId: string): string =>
  `${keyPrefix}${LEASE_INFIX}${repositoryId}`;
/** For `SCAN MATCH`: all leases. */
export const leasePattern = (keyPrefix: string): string => `${escapeGlob(keyPrefix)}${LEASE_INFIX}*`;
export const repositoryIdOf = (keyPrefix: string, key: string): string =>
  key.slice(keyPrefix.length + LEASE_INFIX.length);

/** `<POD_NAME>:<execution_id>:<fence>`, readable with a plain `GET`. */
export function leaseValue({ podName, executionId, fence }: LeaseHolder): string {
  return executionId === '' ? podName : `${podName}:${executionId}:${fence}`;
}

/** Parsed from the right. Any other value (set by hand) is returned as the pod name, so it is shown and can be broken. */
export function parseLeaseValue(value: string): LeaseHolder {
  const [, podName, executionId, fence] = /^(.*):([^:]+):(\d+)$/s.exec(value) ?? [];
  if (podName === undefined || executionId === undefined)
    return { podName: value, executionId: '', fence: 0 };
  return { podName, executionId, fence: Number(fence) };
}

export const progressKey = (keyPrefix: string, taskId: string): string =>
  `${keyPrefix}${PROGRESS_INFIX}${taskId}`;
export const progressUserKey = (keyPrefix: string, userId: string): string =>
  `${keyPrefix}${PROGRESS_INFIX}user:${userId}`;
/** For `SCAN MATCH`: all tasks, and the users' sets. */
export const progressPattern = (keyPrefix: string): string => `${escapeGlob(keyPrefix)}${PROGRESS_INFIX}*`;
export const progressEventsKey = (keyPrefix: string, taskId: string): string =>
  `${keyPrefix}:progress_events:${taskId}`;
export const progressChannel = (keyPrefix: string): string => `${keyPrefix}:progress_changes`;

/** The keys of one budget, in the order of the scripts' KEYS. */
export function limiterKeys(keyPrefix: string, { host, name, scope }: HostBudget): string[] {
  const budget = `${keyPrefix}:limiter:${host}:${name}${scope === undefined ? '' : `:${scope}`}`;
  const parts = ['counted', 'queue', 'alive', 'state'].map((part) => `${budget}:${part}`);
  return [...parts, limiterPodsKey(keyPrefix)];
}
export const limiterPodsKey = (keyPrefix: string): string => `${keyPrefix}:limiter_pods`;
export const limiterWakeUpChannel = (keyPrefix: string): string => `${keyPrefix}:limiter_wake_ups`;

/** How far a key of the API has used its limit; expires when the full limit is available again. */
export const requestLimitKey = (keyPrefix: string, key: string): string => `${keyPrefix}:requests:${key}`;

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
