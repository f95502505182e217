import { type PodEnd, type PodState } from '@core/domain';
import { endBetween, type PodSnapshot } from './pod-snapshot.js';

/** Deleted pod names that are remembered. A take-over takes seconds; a rollout makes tens of names. */
const MAX_DELETED = 1000;

/** The last snapshot of each pod that exists, and the names deleted last. */
export class PodCache {
  private readonly pods = new Map<string, PodSnapshot>();
  private readonly deleted = new Set<string>();

  constructor(private readonly onPodEnd: (podName: string, end: PodEnd) => void) {}

  set(pod: PodSnapshot): void {
    const end = endBetween(this.pods.get(pod.name), pod);
    this.pods.set(pod.name, pod);
    this.deleted.delete(pod.name);
    if (end !== null) this.onPodEnd(pod.name, end);
  }

  /** Stores a complete list. @returns the known pods that it lacks: whether they were deleted must be checked. */
  setAll(pods: readonly PodSnapshot[]): PodSnapshot[] {
    const listed = new Set(pods.map(({ name }) => name));
    const missing = [...this.pods.values()].filter(({ name }) => !listed.has(name));
    for (const pod of pods) this.set(pod);
    return missing;
  }

  /** The pod no longer exists. @param hasSuccessor another pod has its name. */
  remove({ name, uid }: PodSnapshot, hasSuccessor: boolean): void {
    const known = this.pods.get(name);
    if (known?.uid !== uid) return;
    this.pods.delete(name);
    if (!hasSuccessor) this.rememberDeleted(name);
    if (!known.hasEnded) this.onPodEnd(name, { reason: hasSuccessor ? 'replaced' : 'deleted', hasSuccessor });
  }

  /** The pod exists, but its labels no longer match. */
  untrack({ name, uid }: PodSnapshot): void {
    if (this.pods.get(name)?.uid === uid) this.pods.delete(name);
  }

  stateOf(podName: string): PodState {
    const pod = this.pods.get(podName);
    if (pod === undefined) return this.deleted.has(podName) ? 'ended' : 'unknown';
    if (pod.hasEnded) return 'ended';
    return pod.isLost ? 'unknown' : 'alive';
  }

  private rememberDeleted(podName: string): void {
    this.deleted.add(podName);
    const [oldest] = this.deleted;
    if (this.deleted.size > MAX_DELETED && oldest !== undefined) this.deleted.delete(oldest);
  }
}
