/** Who holds a repository. */
export interface LeaseHolder {
  podName: string;
  executionId: string;
  fence: number;
  since: Date | null;
}

export interface Lease {
  /** Fires when the lease is lost or can no longer be proven to be held. */
  readonly signal: AbortSignal;
  /** Compare-and-delete; never throws, repeating is harmless. */
  release(): Promise<void>;
}

/** The lock on a repository. It keeps two runs apart; it does not decide that a tick runs (Postgres does). */
export interface LeaseManager {
  /** Null when somebody else holds it. */
  acquire(run: { repositoryId: string; executionId: string; fence: number }): Promise<Lease | null>;
  holderOf(repositoryId: string): Promise<LeaseHolder | null>;
}
