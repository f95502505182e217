import { type HostBudget, type LeaseHolder } from '@core/domain';

const LEASE_INFIX = ':scheduler_lock:repo_sync_';

export function leaseKey(keyPrefix: string, repositoryId: string): string {
  return `${keyPrefix}${LEASE_INFIX}${repositoryId}`;
}

/** For `SCAN MATCH`: all leases under a prefix, which is taken literally. */
export function leasePattern(keyPrefix: string): string {
  return `${literally(keyPrefix)}${LEASE_INFIX}*`;
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

const PROGRESS_INFIX = ':upload_progress:';

export function progressKey(keyPrefix: string, taskId: string): string {
  return `${keyPrefix}${PROGRESS_INFIX}${taskId}`;
}

export function progressUserKey(keyPrefix: string, userId: string): string {
  return `${keyPrefix}${PROGRESS_INFIX}user:${userId}`;
}

/** For `SCAN MATCH`: all tasks, and the users' sets, under a prefix. */
export function progressPattern(keyPrefix: string): string {
  return `${literally(keyPrefix)}${PROGRESS_INFIX}*`;
}

export function progressEventsKey(keyPrefix: string, taskId: string): string {
  return `${keyPrefix}:progress_events:${taskId}`;
}

export function progressNewsChannel(keyPrefix: string): string {
  return `${keyPrefix}:progress_news`;
}

/** The keys of one budget, in the order of the scripts' KEYS. */
export function limiterKeys(keyPrefix: string, { host, name, scope }: HostBudget): string[] {
  const budget = `${keyPrefix}:limiter:${host}:${name}${scope === undefined ? '' : `:${scope}`}`;
  return ['calls', 'busy', 'line', 'awake', 'told'].map((part) => `${budget}:${part}`);
}

export function limiterPodsKey(keyPrefix: string): string {
  return `${keyPrefix}:limiter_pods`;
}

export function limiterWakeUpChannel(keyPrefix: string): string {
  return `${keyPrefix}:limiter_turns`;
}

function literally(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
