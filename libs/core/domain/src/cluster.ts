/** A process of the service: a `pods` row. */
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

/** A pod and the age of its last heartbeat, on the database's clock. */
export interface SeenPod extends PodRecord {
  secondsSinceSeen: number;
}
