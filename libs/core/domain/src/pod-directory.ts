/**
 * - `gone`: proven; whatever ran under that name runs no more.
 * - `alive`: the pod is there and nothing says that its process ended.
 * - `unknown`: no proof either way. Heartbeats decide.
 */
export type PodState = 'alive' | 'gone' | 'unknown';

/** What proved that a pod's process ended. */
export interface PodGone {
  /**
   * - `deleted`: the pod no longer exists.
   * - `ended`: its container terminated, or the pod failed or succeeded.
   * - `replaced`: its name belongs to another pod now.
   * - `restarted`: its container was started anew in the same pod.
   */
  reason: 'deleted' | 'ended' | 'replaced' | 'restarted';
  /** A successor lives under the same name: what it wrote since carries that name too. */
  hasSuccessor: boolean;
}

/**
 * Which of the pods that share the work are gone. It speeds a take-over up and decides nothing else: everything stays
 * correct when it always answers `unknown`. A pod that is not ready, on a silent node or beyond a partition is never
 * gone, as its process may still run.
 */
export abstract class PodDirectory {
  /** Follows the pods until the signal fires. Never throws; call it once, after the listeners are there. */
  abstract start(signal: AbortSignal): void;
  /**
   * Of the process that has this name now, by what is known at this moment. `gone` is proven by what was seen: a name
   * that never was is `unknown`, and so is every name while the pods cannot be followed.
   */
  abstract stateOf(podName: string): PodState;
  /**
   * Tells once of each process that is proven gone, also of those that ended while the pods could not be followed.
   * Several pods hear of the same one. What a listener throws is logged and changes nothing.
   */
  abstract onGone(listener: (podName: string, gone: PodGone) => void): void;
  /** What take-over rests on now, and why, in words for an operator. */
  abstract describe(): { source: 'kubernetes' | 'heartbeats'; reason: string };
}
