/**
 * - `ended`: the process with that name has provably ended.
 * - `alive`: the pod exists, and its process has not ended as far as the API shows.
 * - `unknown`: neither is proven; take-over uses heartbeats.
 */
export type PodState = 'alive' | 'ended' | 'unknown';

/** The proof that a pod's process ended. */
export interface PodEnd {
  /**
   * - `deleted`: the pod no longer exists.
   * - `ended`: its container terminated, or the pod failed or succeeded.
   * - `replaced`: another pod has its name.
   * - `restarted`: its container was restarted in the same pod.
   */
  reason: 'deleted' | 'ended' | 'replaced' | 'restarted';
  /** Another process has the same name, so its rows have that name too. */
  hasSuccessor: boolean;
}

/**
 * Reports which pods have ended. This only speeds up take-over; always answering `unknown` is correct. A pod that is not
 * ready, on an unreachable node or behind a network partition is never `ended`, because its process may still run.
 */
export abstract class PodDirectory {
  /** Watches the pods until the signal fires. Never throws; call it once, after adding the listeners. */
  abstract start(signal: AbortSignal): void;
  /**
   * The state of the process that has this name now. A name that was never seen is `unknown`. While the pods cannot be
   * watched, every name is.
   */
  abstract stateOf(podName: string): PodState;
  /**
   * Reports each ended process once, including those that ended while the pods could not be watched. Every pod of the
   * service reports it. Errors of listeners are logged.
   */
  abstract onPodEnd(listener: (podName: string, end: PodEnd) => void): void;
  /** For operators: the current source of take-over, and the reason. */
  abstract describe(): { source: 'kubernetes' | 'heartbeats'; reason: string };
}
