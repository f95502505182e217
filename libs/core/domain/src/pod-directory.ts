/**
 * - `gone`: the process of that name has provably ended.
 * - `alive`: the pod exists, and its process has not ended as far as the API shows.
 * - `unknown`: no proof either way; take-over uses heartbeats.
 */
export type PodState = 'alive' | 'gone' | 'unknown';

/** What proved that a pod's process ended. */
export interface PodGone {
  /**
   * - `deleted`: the pod no longer exists.
   * - `ended`: its container terminated, or the pod failed or succeeded.
   * - `replaced`: another pod has its name.
   * - `restarted`: its container was restarted in the same pod.
   */
  reason: 'deleted' | 'ended' | 'replaced' | 'restarted';
  /** Another process has the same name: its rows carry that name too. */
  hasSuccessor: boolean;
}

/**
 * Which pods are gone. It only speeds up take-over: the product stays correct when it always answers `unknown`. A pod that
 * is not ready, on a silent node or beyond a network partition is never `gone`, as its process may still run.
 */
export abstract class PodDirectory {
  /** Watches the pods until the signal fires. Never throws; call it once, after adding the listeners. */
  abstract start(signal: AbortSignal): void;
  /**
   * The state of the process that has this name now. A name that was never seen is `unknown`, and so is every name while
   * the pods cannot be watched.
   */
  abstract stateOf(podName: string): PodState;
  /**
   * Reports each process that is proven gone once, also those that ended while the pods could not be watched. Every pod
   * reports it. Errors of listeners are logged.
   */
  abstract onGone(listener: (podName: string, gone: PodGone) => void): void;
  /** What take-over uses now, and why, for operators. */
  abstract describe(): { source: 'kubernetes' | 'heartbeats'; reason: string };
}
