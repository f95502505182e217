/** A `pods` row: one process of the service. */
export interface PodRecord {
  /** Unique per process start. */
  bootId: string;
  podName: string;
  roles: string[];
  version: string;
  mode: string;
  /** {@link EmbeddingModel.id} that it is configured for, so that it builds indexes of this model; null: unknown. */
  modelId: string | null;
  startedAt: Date;
  seenAt: Date;
}

/** A pod and the age of its last heartbeat, on the database's clock. */
export interface SeenPod extends PodRecord {
  secondsSinceSeen: number;
}
