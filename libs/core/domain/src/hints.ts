/** A change that the next poll or heartbeat finds anyway. */
export type Hint =
  | { kind: 'schedules_changed' }
  /** An execution was queued. Published with its row. */
  | { kind: 'work_queued' }
  | { kind: 'cancel_requested'; executionId: string };

/** Makes all pods check now instead of at their next poll. Hints may be lost, so no correctness depends on them. */
export abstract class Hints {
  /** Reaches all pods, including this one. Never throws and never waits. */
  abstract publish(hint: Hint): void;
  /** @returns a function that ends the subscription. */
  abstract subscribe(listener: (hint: Hint) => void): () => void;
}
