/** The advisory locks of the database that are taken by a number. The numbers are arbitrary, and differ. */
export const LOCKS = {
  /** One process migrates at a time. */
  migration: 7_305_041_965,
  /** Claims share it; a change of settings takes it exclusively. */
  claims: 7_305_041_966,
  /** One process evicts vectors at a time. */
  eviction: 7_305_041_967,
  /** Makes one chain of the audit records that all pods append. */
  auditChain: 7_305_041_968,
  /** One process makes or drops months of executions at a time. */
  months: 7_305_041_969,
} as const;
