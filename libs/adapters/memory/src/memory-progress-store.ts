import {
  isEnded,
  type CircuitState,
  type Clock,
  type ProgressStore,
  type ProgressEvent,
  type ProgressTask,
  type Stage,
  TaskListeners,
} from '@core/domain';

const FINISHED_TTL_MS = 60_000;
const SILENT_TTL_MS = 300_000;
const MAX_EVENTS = 1000;

const EVENT_ID = /^\d+-\d+$/;

interface Shown {
  task: ProgressTask;
  events: ProgressEvent[];
}

/** The store of a single process. Finished tasks expire after a minute, others five minutes after their last change. */
export class MemoryProgressStore implements ProgressStore {
  private readonly shown = new Map<string, Shown>();
  private readonly listeners = new TaskListeners();
  private lastId: readonly [ms: number, number: number] = [0, 0];

  constructor(private readonly clock: Clock) {}

  async save(task: ProgressTask): Promise<boolean> {
    this.dropExpired();
    const entry = this.shown.get(task.taskId) ?? { task, events: [] };
    entry.task = task;
    entry.events.push({ id: this.nextId(), task });
    if (entry.events.length > MAX_EVENTS) entry.events.shift();
    this.shown.set(task.taskId, entry);
    this.listeners.notify(task.taskId);
    return true;
  }

  async find(taskId: string): Promise<ProgressTask | null> {
    this.dropExpired();
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
    this.dropExpired();
    const events = this.shown.get(taskId)?.events ?? [];
    if (afterId === null || !EVENT_ID.test(afterId)) return [...events];
    return events.filter(({ id }) => isLater(id, afterId));
  }

  subscribe(taskId: string, onChange: () => void): () => void {
    return this.listeners.add(taskId, onChange);
  }

  state(): CircuitState {
    return 'closed';
  }

  /** By the clock, as in Redis: ids from before a restart are lower than new ones. */
  private nextId(): string {
    const [lastMs, number] = this.lastId;
    const ms = Math.max(lastMs, this.clock.now().getTime());
    this.lastId = [ms, ms === lastMs ? number + 1 : 0];
    return this.lastId.join('-');
  }

  private tasks(): ProgressTask[] {
    this.dropExpired();
    return [...this.shown.values()].map(({ task }) => task);
  }

  private dropExpired(): void {
    const now = this.clock.now().getTime();
    for (const [taskId, { task }] of this.shown) {
      const ttlMs = isEnded(task) ? FINISHED_TTL_MS : SILENT_TTL_MS;
      if (now - task.updatedAt.getTime() > ttlMs) this.shown.delete(taskId);
    }
  }
}

function isLater(id: string, than: string): boolean {
  const [ms, number] = id.split('-').map(Number) as [number, number];
  const [thanMs, thanNumber] = than.split('-').map(Number) as [number, number];
  return ms === thanMs ? number > thanNumber : ms > thanMs;
}
