/** How long a write without `wait` stays invisible, in milliseconds. */
const LAG_MS = 50;

/** Applies writes in order. Writes without `wait` are applied later, and their errors are lost, as in Qdrant. */
export class WriteQueue {
  private readonly pending: (() => void)[] = [];
  private timer: NodeJS.Timeout | null = null;
  private operations = 0;

  write(isWaiting: boolean, change: () => void): { operation_id: number; status: string } {
    const operation_id = this.operations++;
    if (isWaiting) {
      this.settle();
      change();
      return { operation_id, status: 'completed' };
    }
    this.pending.push(change);
    this.timer ??= setTimeout(() => this.settle(), LAG_MS);
    return { operation_id, status: 'acknowledged' };
  }

  /** Applies all queued writes. */
  settle(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    for (const change of this.pending.splice(0)) {
      try {
        change();
      } catch {
        continue;
      }
    }
  }
}
