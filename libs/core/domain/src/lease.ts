import { RepotideError } from './errors.js';

/** The run that holds a repository's lease. */
export interface LeaseHolder {
  podName: string;
  executionId: string;
  fence: number;
}

export interface HeldLease extends LeaseHolder {
  repositoryId: string;
  /** Null when the lease ends with its holder's connection or process. */
  expiresAt: Date | null;
}

export interface Lease {
  /** Fires with `lease_lost` when the lease is lost or can no longer be confirmed. */
  readonly signal: AbortSignal;
  /** Compare-and-delete. Never throws; safe to repeat. */
  release(): Promise<void>;
}

/** The lock that allows one run at a time per repository. Postgres, not the lease, decides whether a tick runs. */
export abstract class LeaseManager {
  /**
   * The lease renews itself until it is released or its signal fires. @returns null when another run holds it.
   * @throws temporary `lease_unavailable` when the lock service does not answer; no run may start then.
   */
  abstract acquire(run: { repositoryId: string; executionId: string; fence: number }): Promise<Lease | null>;
  /** @throws temporary `lease_unavailable`. */
  abstract holderOf(repositoryId: string): Promise<LeaseHolder | null>;
  /** Proves that a lease can be taken now: a replica answers reads and refuses writes. @throws temporary `lease_unavailable`. */
  abstract checkHealth(): Promise<void>;
  /** All held leases, in any order. @throws temporary `lease_unavailable`. */
  abstract list(): Promise<HeldLease[]>;
  /**
   * Removes the lease of exactly this holder, after its pod has ended or at an admin's request. A live holder stops at
   * its next renewal.
   * @returns false when this holder no longer has the lease.
   */
  abstract breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean>;
  /** Ends connections and renewals. Held leases are not released; they expire. */
  abstract close(): Promise<void>;
}

/** Elects the pod that runs the chores. Chores are safe with two leaders, so their writes are not fenced. */
export abstract class LeaderElection {
  /** True while this pod has the leadership, as far as it knows. */
  abstract isLeader(): boolean;
  /** Pod name of the current leader; null when there is none or it is unknown. */
  abstract leader(): Promise<string | null>;
  /** Gives up the leadership permanently. Safe to repeat. */
  abstract stepDown(): Promise<void>;
}

/** The abort reason of a lease's signal. @param cause completes "The lease was lost: ...". */
export function leaseLost(cause: string): RepotideError {
  const message = `The lease was lost: ${cause}. This pod stops the run; another one continues it.`;
  return new RepotideError('temporary', 'lease_lost', message);
}
