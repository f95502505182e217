import { type Hint, type Hints } from '@core/domain';

/** Hints within one process. */
export class LocalHints implements Hints {
  private readonly listeners = new Set<(hint: Hint) => void>();

  publish(hint: Hint): void {
    for (const listener of this.listeners) listener(hint);
  }

  subscribe(listener: (hint: Hint) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
