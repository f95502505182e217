import { type V1ContainerStatus, type V1Pod } from '@kubernetes/client-node';
import { type PodEnd } from '@core/domain';

/** The stored state of a pod: the process with its name, and whether that process has ended. */
export interface PodSnapshot {
  name: string;
  uid: string;
  /** Null until the first container exists. */
  containerId: string | null;
  restartCount: number;
  hasEnded: boolean;
  /** The phase is Unknown: the cluster has lost contact with the node. */
  isLost: boolean;
}

/**
 * "Not ready" and "being deleted" are ignored: neither ends the process.
 * @param containerName the service's own container; the only container of a pod counts under any name.
 */
export function snapshotOf({ metadata, status }: V1Pod, containerName: string): PodSnapshot {
  const statuses = status?.containerStatuses ?? [];
  const own =
    statuses.find(({ name }) => name === containerName) ?? (statuses.length === 1 ? statuses[0] : undefined);
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    containerId: own?.containerID || null,
    restartCount: own?.restartCount ?? 0,
    hasEnded: status?.phase === 'Failed' || status?.phase === 'Succeeded' || hasTerminated(own),
    isLost: status?.phase === 'Unknown',
  };
}

/** A container that waits for its restart (as in CrashLoopBackOff) shows its end in its last state. */
function hasTerminated(container: V1ContainerStatus | undefined): boolean {
  if (container?.state?.terminated) return true;
  return Boolean(container?.state?.waiting && container.lastState?.terminated);
}

/** Which process the change proves to have ended; null: none, or the end was known before. */
export function endBetween(before: PodSnapshot | undefined, now: PodSnapshot): PodEnd | null {
  const change = before === undefined ? null : changeOf(before, now);
  const isKnown = before?.hasEnded === true;
  if (now.hasEnded)
    return isKnown && change === null ? null : { reason: change ?? 'ended', hasSuccessor: false };
  return change === null || isKnown ? null : { reason: change, hasSuccessor: true };
}

function changeOf(before: PodSnapshot, now: PodSnapshot): 'replaced' | 'restarted' | null {
  if (before.uid !== now.uid) return 'replaced';
  const isOtherContainer =
    before.containerId !== null && now.containerId !== null && before.containerId !== now.containerId;
  return isOtherContainer || now.restartCount > before.restartCount ? 'restarted' : null;
}
