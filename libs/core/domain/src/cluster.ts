/** A process of the service as it shows itself: a `pods` row. */
export interface PodRecord {
  /** Unique for each start of a process. */
  bootId: string;
  podName: string;
  roles: string[];
  version: string;
  mode: string;
  startedAt: Date;
  seenAt: Date;
}

/** A pod and whether it was heard of lately, on the database's clock. */
export interface SeenPod extends PodRecord {
  secondsSinceSeen: number;
}
