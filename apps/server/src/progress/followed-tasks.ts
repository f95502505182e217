import { isEnded, toRepotideError, type Logger, type ProgressStore, type ProgressTask } from '@core/domain';
import { present } from '../http/model.js';
import { eventFrame } from './event-stream.js';
import { ProgressDto } from './progress.schema.js';
import { type ProgressService } from './progress.service.js';

/** How often the row is checked for the end of the run: events may be lost with Redis, the row is not. */
const ROW_CHECK_MS = 5_000;

/** The event id of an end that comes from the row and not from an event. No event follows it. */
export const END_ID = 'end';

/** An event as text; all clients share it. */
export interface Frame {
  /** Null: a client cannot resume from it. */
  id: string | null;
  text: string;
  isLast: boolean;
}

export interface Follower {
  /** There may be new events. */
  changed(): void;
  /** The row shows that the run has ended; the store may lack the end. */
  ended(end: Frame): void;
}

interface FollowedTask {
  followers: Set<Follower>;
  unsubscribe: () => void;
  rowCheck: NodeJS.Timeout;
}

/**
 * The tasks that clients of this process follow. All clients of a task share its subscription, queries and event texts:
 * 500 clients of one run cost Redis and Postgres as much as one.
 */
export class FollowedTasks {
  private readonly tasks = new Map<string, FollowedTask>();
  private readonly queries = new Map<string, Promise<Frame[]>>();

  constructor(
    private readonly progress: ProgressService,
    private readonly store: ProgressStore,
    private readonly logger: Logger,
  ) {}

  /** @returns a function that stops following; safe to repeat. */
  follow(taskId: string, follower: Follower): () => void {
    const task = this.tasks.get(taskId) ?? this.open(taskId);
    task.followers.add(follower);
    return () => {
      task.followers.delete(follower);
      if (task.followers.size > 0 || this.tasks.get(taskId) !== task) return;
      this.tasks.delete(taskId);
      task.unsubscribe();
      clearInterval(task.rowCheck);
    };
  }

  /** The events after `afterId`, in order; all events when it is null or unknown. Never rejects. */
  framesAfter(taskId: string, afterId: string | null): Promise<Frame[]> {
    const key = `${taskId} ${afterId}`;
    const current = this.queries.get(key);
    if (current) return current;
    const query = this.query(taskId, afterId).finally(() => this.queries.delete(key));
    this.queries.set(key, query);
    return query;
  }

  private async query(taskId: string, afterId: string | null): Promise<Frame[]> {
    const events = await this.store.eventsAfter(taskId, afterId);
    return events.map(({ id, task }) => frameOf(task, id));
  }

  private open(taskId: string): FollowedTask {
    const followers = new Set<Follower>();
    const notify = (): void => {
      for (const follower of followers) follower.changed();
    };
    const task: FollowedTask = {
      followers,
      unsubscribe: this.store.subscribe(taskId, notify),
      rowCheck: setInterval(() => void this.checkRow(taskId, followers), ROW_CHECK_MS),
    };
    this.tasks.set(taskId, task);
    return task;
  }

  private async checkRow(taskId: string, followers: ReadonlySet<Follower>): Promise<void> {
    try {
      const task = await this.progress.fromRow(taskId);
      if (!isEnded(task)) return;
      const end = frameOf(task, END_ID);
      for (const follower of [...followers]) follower.ended(end);
    } catch (thrown) {
      this.logger.debug({ error_code: toRepotideError(thrown).code }, 'progress row check failed');
    }
  }
}

/** @param id null: a client cannot resume from it. */
export function frameOf(task: ProgressTask, id: string | null): Frame {
  return { id, text: eventFrame('progress', present(ProgressDto, task), id), isLast: isEnded(task) };
}
