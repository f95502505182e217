/** A change that the next poll or heartbeat would find anyway. */
export type Hint = { kind: 'schedules_changed' } | { kind: 'cancel_requested'; executionId: string };

/** Makes all pods look now instead of at their next poll. Any hint may be lost, so nothing depends on one. */
export abstract class Hints {
  /** Reaches all pods, this one included. Never throws and never waits. */
  abstract publish(hint: Hint): void;
  /** @returns a function that ends the subscription. */
  abstract subscribe(listener: (hint: Hint) => void): () => void;
}
