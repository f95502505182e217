import { RepotideError } from './errors.js';

/** Who holds a repository. */
export interface LeaseHolder {
  podName: string;
  executionId: string;
  fence: number;
}

/** A held lease as an operator sees it. */
export interface HeldLease extends LeaseHolder {
  repositoryId: string;
  /** When it ends unless it is renewed; null when it lives as long as its holder's connection or process. */
  expiresAt: Date | null;
}

export interface Lease {
  /** Fires when the lease is lost or can no longer be proven to be held; the reason is `lease_lost`. */
  readonly signal: AbortSignal;
  /** Compare-and-delete; never throws, repeating is harmless. */
  release(): Promise<void>;
}

/** The lock on a repository. It keeps two runs apart; it does not decide that a tick runs (Postgres does). */
export abstract class LeaseManager {
  /**
   * Null when somebody else holds it. Renews itself until it is released or its signal fires.
   * @throws temporary `lease_unavailable` when the lock service does not answer: then nothing may start.
   */
  abstract acquire(run: { repositoryId: string; executionId: string; fence: number }): Promise<Lease | null>;
  /** @throws temporary `lease_unavailable`. */
  abstract holderOf(repositoryId: string): Promise<LeaseHolder | null>;
  /** All held leases, in any order. @throws temporary `lease_unavailable`. */
  abstract list(): Promise<HeldLease[]>;
  /**
   * Takes the lease from exactly this holder: one whose pod is proven gone, or by an admin's order. The holder, should
   * it live, notices at its next renewal and stops.
   * @returns false when this holder did not hold it any more.
   */
  abstract breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean>;
  /** Ends connections and renewals. Held leases are not released: their runs have ended or are being taken over. */
  abstract close(): Promise<void>;
}

/** Who does the chores that one pod should do for all. Two by accident do no harm, so nothing here is fenced. */
export abstract class LeaderElection {
  /** True while this pod may believe to be the leader. */
  abstract isLeader(): boolean;
  /** Pod name of the current leader as last seen; null when nobody or unknown. */
  abstract leader(): Promise<string | null>;
  /** Gives the office up and takes part no more. Repeating is harmless. */
  abstract stepDown(): Promise<void>;
}

/** The reason with which a lease's signal fires. @param why completes "The lease was lost: ...". */
export function leaseLost(why: string): RepotideError {
  return new RepotideError(
    'temporary',
    'lease_lost',
    `The lease was lost: ${why}. The run stops and goes on elsewhere.`,
  );
}
