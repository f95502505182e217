/** News that somebody would find out anyway, a poll or a heartbeat later. */
export type Hint = { kind: 'schedules_changed' } | { kind: 'cancel_requested'; executionId: string };

/** Tells all pods to look now instead of at their next poll. Every hint may be lost; nothing may depend on one. */
export abstract class Hints {
  /** Reaches all pods, this one included. Never throws and never waits. */
  abstract publish(hint: Hint): void;
  /** @returns what ends the subscription. */
  abstract subscribe(listener: (hint: Hint) => void): () => void;
}
