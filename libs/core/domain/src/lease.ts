import { RepotideError } from './errors.js';

/** Who holds a repository. */
export interface LeaseHolder {
  podName: string;
  executionId: string;
  fence: number;
}

export interface HeldLease extends LeaseHolder {
  repositoryId: string;
  /** When it expires unless renewed; null when it lasts as long as its holder's connection or process. */
  expiresAt: Date | null;
}

export interface Lease {
  /** Fires with `lease_lost` when the lease is lost or can no longer be proven. */
  readonly signal: AbortSignal;
  /** Compare-and-delete; never throws, repeating is harmless. */
  release(): Promise<void>;
}

/** The lock on a repository: one run at a time. Whether a tick runs is decided in Postgres. */
export abstract class LeaseManager {
  /**
   * Renews itself until it is released or its signal fires. @returns null when another run holds it.
   * @throws temporary `lease_unavailable` when the lock service does not answer; then no run may start.
   */
  abstract acquire(run: { repositoryId: string; executionId: string; fence: number }): Promise<Lease | null>;
  /** @throws temporary `lease_unavailable`. */
  abstract holderOf(repositoryId: string): Promise<LeaseHolder | null>;
  /** All held leases, in any order. @throws temporary `lease_unavailable`. */
  abstract list(): Promise<HeldLease[]>;
  /**
   * Takes the lease from exactly this holder: its pod is proven dead, or an admin asked for it. A live holder notices at
   * its next renewal and stops.
   * @returns false when this holder no longer held it.
   */
  abstract breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean>;
  /** Ends connections and renewals. Held leases are not released, but expire. */
  abstract close(): Promise<void>;
}

/** Elects the pod that runs the chores. Two leaders at once do no harm, so nothing is fenced. */
export abstract class LeaderElection {
  /** True while this pod may believe to be the leader. */
  abstract isLeader(): boolean;
  /** Pod name of the current leader; null: none or unknown. */
  abstract leader(): Promise<string | null>;
  /** Gives up the leadership for good. Repeating is harmless. */
  abstract stepDown(): Promise<void>;
}

/** The reason of a lease's signal. @param why completes "The lease was lost: ...". */
export function leaseLost(why: string): RepotideError {
  return new RepotideError(
    'temporary',
    'lease_lost',
    `The lease was lost: ${why}. This pod stops the run; another one continues it.`,
  );
}
