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

/** Which processes there are, by their own signs of life. For people: nothing is decided by it. */
export abstract class PodRegistry {
  /** Shows that the process lives. Repeating is what it is for. Forgets pods that were silent for a day. */
  abstract showLife(pod: Omit<PodRecord, 'startedAt' | 'seenAt'>): Promise<void>;
  /** Takes a process off the list, as it stops. Repeating is harmless. */
  abstract leave(bootId: string): Promise<void>;
  /** By name, then by start. */
  abstract list(): Promise<SeenPod[]>;
}
