import {
  isEnded,
  type BoardState,
  type Clock,
  type ProgressBoard,
  type ProgressEvent,
  type ProgressTask,
  type Stage,
} from '@core/domain';

const FINISHED_KEPT_MS = 60_000;
const SILENT_KEPT_MS = 300_000;
const MAX_EVENTS = 1000;

const EVENT_ID = /^\d+-\d+$/;

interface Shown {
  task: ProgressTask;
  events: ProgressEvent[];
}

/** The board of a process that is alone. Finished tasks leave after a minute, silent ones after five. */
export class MemoryProgressBoard implements ProgressBoard {
  private readonly shown = new Map<string, Shown>();
  private readonly listeners = new Map<string, Set<() => void>>();
  private lastId: readonly [ms: number, number: number] = [0, 0];

  constructor(private readonly clock: Clock) {}

  async save(task: ProgressTask): Promise<boolean> {
    this.forgetOld();
    const entry = this.shown.get(task.taskId) ?? { task, events: [] };
    entry.task = task;
    entry.events.push({ id: this.nextId(), task });
    if (entry.events.length > MAX_EVENTS) entry.events.shift();
    this.shown.set(task.taskId, entry);
    for (const listener of this.listeners.get(task.taskId) ?? []) listener();
    return true;
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
    this.forgetOld();
    const events = this.shown.get(taskId)?.events ?? [];
    if (afterId === null || !EVENT_ID.test(afterId)) return [...events];
    return events.filter(({ id }) => isLater(id, afterId));
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

  state(): BoardState {
    return 'closed';
  }

  /** By the clock, as in Redis: ids that a client brings from before a restart are earlier than all that come. */
  private nextId(): string {
    const [lastMs, number] = this.lastId;
    const ms = Math.max(lastMs, this.clock.now().getTime());
    this.lastId = [ms, ms === lastMs ? number + 1 : 0];
    return this.lastId.join('-');
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

function isLater(id: string, than: string): boolean {
  const [ms, number] = id.split('-').map(Number) as [number, number];
  const [thanMs, thanNumber] = than.split('-').map(Number) as [number, number];
  return ms === thanMs ? number > thanNumber : ms > thanMs;
}
