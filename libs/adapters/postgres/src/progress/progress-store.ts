import {
  type CircuitState,
  type ProgressEvent,
  type ProgressStore,
  type ProgressTask,
  type Stage,
  TaskListeners,
} from '@core/domain';
import { type Database } from '../sql/database.js';
import { uuidOrNull } from '../sql/rows.js';

/** A task expires this long after its last change, on the database's clock. */
const TTL_SECONDS = 600;
const MAX_EVENTS = 1000;
const EVENT_ID = /^(\d{1,18})-(\d{1,9})$/;
/** A run saves its progress as often. Only tasks with subscribers are read. */
const POLL_MS = 1_000;

const IS_FRESH = `updated_at > clock_timestamp() - interval '${TTL_SECONDS} s'`;

/** $1 id, $2 user, $3 status, $4 the task. Ids of events grow within a task, also when the clock does not. */
const SAVE = `
  WITH moment AS (SELECT floor(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now_ms),
    saved AS (
      INSERT INTO progress_tasks AS former (task_id, user_id, status, task, ms)
        SELECT $1, $2, $3, $4::json, now_ms FROM moment
      ON CONFLICT (task_id) DO UPDATE SET user_id = $2, status = $3, task = $4::json, events = former.events + 1,
        number = CASE WHEN former.ms < excluded.ms THEN 0 ELSE former.number + 1 END,
        ms = GREATEST(former.ms, excluded.ms), updated_at = clock_timestamp()
      RETURNING *),
    added AS (
      INSERT INTO progress_events (task_id, position, ms, number, task)
        SELECT task_id, events, ms, number, task FROM saved)
  DELETE FROM progress_events e USING saved
    WHERE e.task_id = saved.task_id AND e.position <= saved.events - ${MAX_EVENTS}`;

const FORGET = `
  WITH expired AS (DELETE FROM progress_tasks WHERE NOT (${IS_FRESH}) RETURNING task_id)
  DELETE FROM progress_events e USING expired WHERE e.task_id = expired.task_id`;

/** The state of one task. */
interface Saves {
  latest: ProgressTask;
  running: Promise<boolean>;
  waiting: Promise<boolean> | null;
}

/**
 * Progress for several pods without Redis. A process looks once a second for changes of the tasks that its clients follow,
 * which works through every pooler. The tables are not logged: a crash of the server empties them.
 */
export class PostgresProgressStore implements ProgressStore {
  private readonly listeners = new TaskListeners();
  private readonly seen = new Map<string, string>();
  private readonly saves = new Map<string, Saves>();
  private poll: NodeJS.Timeout | undefined;
  private hasFailed = false;

  constructor(private readonly db: Database) {}

  /** One save of a task runs and at most one waits for it, with the latest state: so it is also while Postgres does not answer. */
  save(task: ProgressTask): Promise<boolean> {
    const { taskId } = task;
    const saves = this.saves.get(taskId);
    if (saves) {
      saves.waiting ??= saves.running.then(() => this.start(saves.latest));
      saves.latest = task;
      return saves.waiting;
    }
    return this.start(task);
  }

  private start(task: ProgressTask): Promise<boolean> {
    const saves: Saves = { latest: task, running: this.write(task), waiting: null };
    this.saves.set(task.taskId, saves);
    return saves.running.finally(() => {
      if (!saves.waiting) this.saves.delete(task.taskId);
      this.listeners.notify(task.taskId);
    });
  }

  private write(task: ProgressTask): Promise<boolean> {
    const { taskId, userId, status } = task;
    return this.attempt(async () => {
      await this.db.query(SAVE, [taskId, userId, status, JSON.stringify(task)]);
      if (status === 'initializing') await this.db.query(FORGET);
      return true;
    }, false);
  }

  async find(taskId: string): Promise<ProgressTask | null> {
    const [found = null] = await this.select('task_id = $1', [uuidOrNull(taskId)]);
    return found;
  }

  listOf(userId: string): Promise<ProgressTask[]> {
    return this.select('user_id = $1', [userId]);
  }

  countByStatus(): Promise<Partial<Record<Stage, number>>> {
    return this.attempt(async () => {
      const rows = await this.db.query<{ status: Stage; count: number }>(
        `SELECT status, count(*) AS count FROM progress_tasks WHERE ${IS_FRESH} GROUP BY status`,
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    }, {});
  }

  eventsAfter(taskId: string, afterId: string | null): Promise<ProgressEvent[]> {
    const [, ms, number] = EVENT_ID.exec(afterId ?? '') ?? [null, -1, -1];
    return this.attempt(async () => {
      const rows = await this.db.query<ProgressEvent>(
        `SELECT ms || '-' || number AS id, task FROM progress_events
          WHERE task_id = $1 AND (ms, number) > ($2::bigint, $3::int) ORDER BY position`,
        [uuidOrNull(taskId), ms, number],
      );
      return rows.map(({ id, task }) => ({ id, task: revived(task) }));
    }, []);
  }

  subscribe(taskId: string, onChange: () => void): () => void {
    this.poll ??= setInterval(() => void this.findChanges(), POLL_MS).unref();
    return this.listeners.add(taskId, onChange, () => {
      this.seen.delete(taskId);
      if (this.listeners.taskIds.length === 0) this.close();
    });
  }

  state(): CircuitState {
    return this.hasFailed ? 'open' : 'closed';
  }

  close(): void {
    clearInterval(this.poll);
    this.poll = undefined;
  }

  /** One query for all tasks that are followed here. */
  private async findChanges(): Promise<void> {
    const rows = await this.attempt(
      () =>
        this.db.query<{ taskId: string; ms: number; number: number }>(
          'SELECT task_id, ms, number FROM progress_tasks WHERE task_id = ANY($1::uuid[])',
          [this.listeners.taskIds],
        ),
      [],
    );
    for (const { taskId, ms, number } of rows) {
      const version = `${ms}-${number}`;
      if (this.seen.get(taskId) === version) continue;
      this.seen.set(taskId, version);
      this.listeners.notify(taskId);
    }
  }

  private select(condition: string, parameters: unknown[]): Promise<ProgressTask[]> {
    return this.attempt(async () => {
      const rows = await this.db.query<{ task: ProgressTask }>(
        `SELECT task FROM progress_tasks WHERE ${condition} AND ${IS_FRESH}`,
        parameters,
      );
      return rows.map(({ task }) => revived(task));
    }, []);
  }

  /** Progress that cannot be stored or read never fails a run or a request. */
  private async attempt<T>(work: () => Promise<T>, fallback: T): Promise<T> {
    try {
      const result = await work();
      this.hasFailed = false;
      return result;
    } catch {
      this.hasFailed = true;
      return fallback;
    }
  }
}

/** A version without stages may have stored it. */
const WITHOUT_STAGES = { stages: [], filesPerSecond: null, etaSeconds: null };

function revived(task: ProgressTask): ProgressTask {
  return {
    ...WITHOUT_STAGES,
    ...task,
    createdAt: new Date(task.createdAt),
    updatedAt: new Date(task.updatedAt),
  };
}
