import { type ChainableCommander } from 'ioredis';
import {
  CircuitBreaker,
  type CircuitState,
  type Logger,
  type ProgressStore,
  type ProgressEvent,
  type ProgressTask,
  type Stage,
  TaskListeners,
} from '@core/domain';
import { type RedisConnections } from '../connect-redis.js';
import {
  progressChannel,
  progressEventsKey,
  progressKey,
  progressPattern,
  progressUserKey,
} from '../keys.js';
import { monotonicMs } from '../lease/shared-instant.js';
import { Subscription } from '../subscription.js';
import { taskFromJson, taskToJson } from './task-json.js';

/** A task expires this long after its last change. */
const TTL_SECONDS = 600;
const MAX_EVENTS = 1000;
const SCAN_COUNT = 500;
/** https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
const CREDENTIALS = /\b(NOAUTH|WRONGPASS|NOPERM)\b/;
/** Calls are suspended so long after three failures in a row. */
const PAUSE_MS = 60_000;
const STREAM_ID = /^\d+-\d+$/;
/** Messages may be lost with the connection; polling limits the delay after a lost message. */
const POLL_MS = 2_000;

/**
 * Progress in Redis, for all pods: the state under `upload_progress:<task_id>`, a user's tasks in a set, and the events of
 * each task in a stream, whose ids are the same on every pod.
 */
export class RedisProgressStore implements ProgressStore {
  private readonly breaker: CircuitBreaker;
  private readonly listeners = new TaskListeners();
  /** Open while there are listeners. */
  private readonly changes: Subscription;
  private poll: NodeJS.Timeout | undefined;

  /** @param nowMs milliseconds that never go backwards. */
  constructor(
    private readonly redis: RedisConnections,
    logger: Logger,
    nowMs: () => number = monotonicMs,
  ) {
    this.breaker = new CircuitBreaker({
      pauseMs: PAUSE_MS,
      monotonicMs: nowMs,
      reasonOf: (thrown) => redis.primary.reasonOf(thrown),
      verdictOf: (thrown) => (CREDENTIALS.test(redis.primary.reasonOf(thrown)) ? 'fatal' : 'failure'),
      onChange: (state, reason) => {
        if (state === 'closed') logger.info({ state }, 'progress is stored again');
        else logger.warn({ state, reason }, 'progress is not stored; runs continue');
      },
    });
    const channel = progressChannel(redis.keyPrefix);
    this.changes = new Subscription(redis, channel, 'progress', logger, (taskId) =>
      this.listeners.notify(taskId),
    );
  }

  save(task: ProgressTask): Promise<boolean> {
    const { keyPrefix, primary } = this.redis;
    const json = taskToJson(task);
    const events = progressEventsKey(keyPrefix, task.taskId);
    return this.attempt(async () => {
      const batch = primary.client
        .multi()
        .setex(progressKey(keyPrefix, task.taskId), TTL_SECONDS, json)
        .xadd(events, 'MAXLEN', '~', MAX_EVENTS, '*', 'task', json)
        .expire(events, TTL_SECONDS)
        .publish(progressChannel(keyPrefix), task.taskId);
      if (task.userId !== null) {
        const user = progressUserKey(keyPrefix, task.userId);
        batch.sadd(user, task.taskId).expire(user, TTL_SECONDS);
      }
      await execute(batch);
      if (task.userId !== null && task.status === 'initializing') await this.tasksOf(task.userId);
      return true;
    }, false);
  }

  find(taskId: string): Promise<ProgressTask | null> {
    const { keyPrefix, primary } = this.redis;
    const read = async (): Promise<ProgressTask | null> =>
      taskFromJson(await primary.client.get(progressKey(keyPrefix, taskId)));
    return this.attempt(read, null);
  }

  listOf(userId: string): Promise<ProgressTask[]> {
    return this.attempt(() => this.tasksOf(userId), []);
  }

  countByStatus(): Promise<Partial<Record<Stage, number>>> {
    return this.attempt(async () => {
      const { primary, keyPrefix } = this.redis;
      const scan = { match: progressPattern(keyPrefix), count: SCAN_COUNT };
      const users = progressUserKey(keyPrefix, '');
      const counts: Partial<Record<Stage, number>> = {};
      const seen = new Set<string>();
      for await (const keys of primary.client.scanStream(scan) as AsyncIterable<string[]>) {
        const fresh = keys.filter((key) => !seen.has(key) && !key.startsWith(users));
        for (const key of fresh) seen.add(key);
        for (const { status } of await this.read(fresh)) counts[status] = (counts[status] ?? 0) + 1;
      }
      return counts;
    }, {});
  }

  eventsAfter(taskId: string, afterId: string | null): Promise<ProgressEvent[]> {
    const { keyPrefix, primary } = this.redis;
    const from = afterId !== null && STREAM_ID.test(afterId) ? `(${afterId}` : '-';
    return this.attempt(async () => {
      const entries = await primary.client.xrange(progressEventsKey(keyPrefix, taskId), from, '+');
      return entries.slice(-MAX_EVENTS).flatMap(([id, fields]) => {
        const task = taskFromJson(fields[1] ?? null);
        return task ? [{ id, task }] : [];
      });
    }, []);
  }

  subscribe(taskId: string, onChange: () => void): () => void {
    this.changes.open();
    this.poll ??= setInterval(() => {
      for (const id of this.listeners.taskIds) this.listeners.notify(id);
    }, POLL_MS).unref();
    return this.listeners.add(taskId, onChange, () => {
      if (this.listeners.taskIds.length === 0) this.close();
    });
  }

  state(): CircuitState {
    return this.breaker.state();
  }

  close(): void {
    clearInterval(this.poll);
    this.poll = undefined;
    this.changes.close();
  }

  private attempt<T>(work: () => Promise<T>, fallback: T): Promise<T> {
    return this.breaker.run(work, fallback);
  }

  /** Also removes expired tasks from the user's set, which would otherwise grow while the user keeps working. */
  private async tasksOf(userId: string): Promise<ProgressTask[]> {
    const { keyPrefix, primary } = this.redis;
    const user = progressUserKey(keyPrefix, userId);
    const taskIds = await primary.client.smembers(user);
    const tasks = await this.read(taskIds.map((taskId) => progressKey(keyPrefix, taskId)));
    const known = new Set(tasks.map(({ taskId }) => taskId));
    const expired = taskIds.filter((taskId) => !known.has(taskId));
    if (expired.length > 0) await primary.client.srem(user, ...expired);
    return tasks;
  }

  private async read(keys: string[]): Promise<ProgressTask[]> {
    if (keys.length === 0) return [];
    const texts = await this.redis.primary.client.mget(keys);
    return texts.flatMap((text) => taskFromJson(text) ?? []);
  }
}

/** The error of a discarded transaction has no reason; the error of the refused command before it has. */
async function execute(batch: ChainableCommander): Promise<void> {
  const replies = await batch.exec().catch((thrown: Error & { previousErrors?: Error[] }) => {
    throw thrown.previousErrors?.[0] ?? thrown;
  });
  for (const [error] of replies ?? []) if (error) throw error;
}
