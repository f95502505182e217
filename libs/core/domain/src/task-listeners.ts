/** Who follows which task of a {@link ProgressStore}, in this process. */
export class TaskListeners {
  private readonly byTask = new Map<string, Set<() => void>>();

  /** The tasks that are followed. */
  get taskIds(): string[] {
    return [...this.byTask.keys()];
  }

  /** @returns a function that ends it. @param onUnfollowed is called when nobody follows this task any more. */
  add(taskId: string, onChange: () => void, onUnfollowed: () => void = () => undefined): () => void {
    const listeners = this.byTask.get(taskId) ?? new Set();
    this.byTask.set(taskId, listeners.add(onChange));
    return () => {
      listeners.delete(onChange);
      if (listeners.size > 0 || this.byTask.get(taskId) !== listeners) return;
      this.byTask.delete(taskId);
      onUnfollowed();
    };
  }

  notify(taskId: string): void {
    for (const listener of this.byTask.get(taskId) ?? []) listener();
  }
}
