import { type PodGone, type PodState } from '@core/domain';
import { type PodSighting, whatEnded } from './pod-sighting.js';

/** Names of deleted pods that are remembered. Take-over is a matter of seconds; a rollout makes tens of names. */
const MAX_DELETED = 1000;

/** What has been seen of the pods. Bounded: a few fields of each pod that exists, and the last deleted names. */
export class PodLedger {
  private readonly pods = new Map<string, PodSighting>();
  private readonly deleted = new Set<string>();

  constructor(private readonly tell: (podName: string, gone: PodGone) => void) {}

  /** Takes down one pod as it is now. */
  see(pod: PodSighting): void {
    const gone = whatEnded(this.pods.get(pod.name), pod);
    this.pods.set(pod.name, pod);
    this.deleted.delete(pod.name);
    if (gone !== null) this.tell(pod.name, gone);
  }

  /** Takes down all pods there are. @returns those known before that are not among them: their end is to be proven. */
  seeAll(pods: readonly PodSighting[]): PodSighting[] {
    const listed = new Set(pods.map(({ name }) => name));
    const missing = [...this.pods.values()].filter(({ name }) => !listed.has(name));
    for (const pod of pods) this.see(pod);
    return missing;
  }

  /** The pod no longer exists. @param hasSuccessor its name belongs to another pod. */
  remove({ name, uid }: PodSighting, hasSuccessor: boolean): void {
    const known = this.pods.get(name);
    if (known?.uid !== uid) return;
    this.pods.delete(name);
    if (!hasSuccessor) this.rememberDeleted(name);
    if (!known.hasEnded) this.tell(name, { reason: hasSuccessor ? 'replaced' : 'deleted', hasSuccessor });
  }

  /** The pod exists but is none of ours any more, as its labels changed. */
  forget({ name, uid }: PodSighting): void {
    if (this.pods.get(name)?.uid === uid) this.pods.delete(name);
  }

  stateOf(podName: string): PodState {
    const pod = this.pods.get(podName);
    if (pod === undefined) return this.deleted.has(podName) ? 'gone' : 'unknown';
    if (pod.hasEnded) return 'gone';
    return pod.isLost ? 'unknown' : 'alive';
  }

  private rememberDeleted(podName: string): void {
    this.deleted.add(podName);
    const [oldest] = this.deleted;
    if (this.deleted.size > MAX_DELETED && oldest !== undefined) this.deleted.delete(oldest);
  }
}
