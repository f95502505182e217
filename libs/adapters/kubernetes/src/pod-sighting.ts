import { type V1ContainerStatus, type V1Pod } from '@kubernetes/client-node';
import { type PodGone } from '@core/domain';

/** All that is kept of a pod: which process its name stands for, and whether that one has ended. */
export interface PodSighting {
  name: string;
  uid: string;
  /** Null until the first container is made. */
  containerId: string | null;
  restartCount: number;
  hasEnded: boolean;
  /** The cluster itself has lost sight of the pod. */
  isLost: boolean;
}

/**
 * Reads a pod as lists and watches show it. What says "not ready" or "being deleted" is not looked at: neither ends
 * the process. @param containerName the service's own container; a pod's only one counts under any name.
 */
export function sightingOf(pod: V1Pod, containerName: string): PodSighting {
  const { metadata, status } = pod;
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

/** A container that waits for its next start (as in CrashLoopBackOff) tells of its end in its last state. */
function hasTerminated(container: V1ContainerStatus | undefined): boolean {
  if (container?.state?.terminated) return true;
  return Boolean(container?.state?.waiting && container.lastState?.terminated);
}

/** What the new sight of a pod's name proves to be gone; null when nothing, or nothing that was not known before. */
export function whatEnded(before: PodSighting | undefined, now: PodSighting): PodGone | null {
  const change = before === undefined ? null : changeOf(before, now);
  if (now.hasEnded) {
    if (before?.hasEnded === true && change === null) return null;
    return { reason: change ?? 'ended', hasSuccessor: false };
  }
  if (change === null || before?.hasEnded === true) return null;
  return { reason: change, hasSuccessor: true };
}

function changeOf(before: PodSighting, now: PodSighting): 'replaced' | 'restarted' | null {
  if (before.uid !== now.uid) return 'replaced';
  const isOtherContainer =
    before.containerId !== null && now.containerId !== null && before.containerId !== now.containerId;
  return isOtherContainer || now.restartCount > before.restartCount ? 'restarted' : null;
}
