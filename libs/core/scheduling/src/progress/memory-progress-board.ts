import {
  isEnded,
  type Clock,
  type ProgressBoard,
  type ProgressEvent,
  type ProgressTask,
  type Stage,
} from '@core/domain';

const FINISHED_KEPT_MS = 60_000;
const SILENT_KEPT_MS = 300_000;
const MAX_EVENTS = 1000;

interface Shown {
  task: ProgressTask;
  events: ProgressEvent[];
  lastSequence: number;
}

/** The board of a process that is alone. Finished tasks leave after a minute, silent ones after five. */
export class MemoryProgressBoard implements ProgressBoard {
  private readonly shown = new Map<string, Shown>();
  private readonly listeners = new Map<string, Set<() => void>>();

  constructor(private readonly clock: Clock) {}

  async save(task: ProgressTask): Promise<void> {
    this.forgetOld();
    const entry = this.shown.get(task.taskId) ?? { task, events: [], lastSequence: 0 };
    entry.task = task;
    entry.lastSequence++;
    entry.events.push({ id: String(entry.lastSequence), task });
    if (entry.events.length > MAX_EVENTS) entry.events.shift();
    this.shown.set(task.taskId, entry);
    for (const listener of this.listeners.get(task.taskId) ?? []) listener();
  }

  async find(taskId: string): Promise<ProgressTask | null> {
    this.forgetOld();
    return this.shown.get(taskId)?.task ?? null;
  }

  async listOf(userId: string): Promise<ProgressTask[]> {
    return this.tasks().filter((task) => task.userId === userId);
  }

  async countByStatus(): Promise<Partial<Record<Stage, number>>> {
    const counts: Partial<Record<Stage, number>> = {};
    for (const { status } of this.tasks()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  async eventsAfter(taskId: string, afterId: string | null): Promise<ProgressEvent[]> {
    const events = this.shown.get(taskId)?.events ?? [];
    const after = events.findIndex((event) => event.id === afterId);
    return events.slice(after + 1);
  }

  subscribe(taskId: string, onNews: () => void): () => void {
    const listeners = this.listeners.get(taskId) ?? new Set();
    listeners.add(onNews);
    this.listeners.set(taskId, listeners);
    return () => {
      listeners.delete(onNews);
      if (listeners.size === 0) this.listeners.delete(taskId);
    };
  }

  private tasks(): ProgressTask[] {
    this.forgetOld();
    return [...this.shown.values()].map(({ task }) => task);
  }

  private forgetOld(): void {
    const now = this.clock.now().getTime();
    for (const [taskId, { task }] of this.shown) {
      const keptMs = isEnded(task) ? FINISHED_KEPT_MS : SILENT_KEPT_MS;
      if (now - task.updatedAt.getTime() > keptMs) this.shown.delete(taskId);
    }
  }
}
