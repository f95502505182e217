import {
  type BoardState,
  type Logger,
  type ProgressBoard,
  type ProgressEvent,
  type ProgressTask,
  type Stage,
} from '@core/domain';
import { type ChainableCommander } from 'ioredis';
import { type RedisConnections } from '../connect-redis.js';
import {
  progressEventsKey,
  progressKey,
  progressNewsChannel,
  progressPattern,
  progressUserKey,
} from '../keys.js';
import { monotonicMs } from '../lease/shared-instant.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { ProgressNews } from './progress-news.js';
import { taskFromJson, taskToJson } from './task-json.js';

/** How long a task is remembered after its last change. */
const TTL_SECONDS = 600;
const MAX_EVENTS = 1000;
const SCAN_COUNT = 500;
const STREAM_ID = /^\d+-\d+$/;

export interface RedisProgressBoard extends ProgressBoard {
  close(): void;
}

/**
 * Progress in Redis, for all pods: the state under `upload_progress:<task_id>`, a user's tasks in a set, and the
 * events of each task in a stream whose ids are the same on every pod.
 */
export function createRedisProgressBoard(options: {
  redis: RedisConnections;
  logger: Logger;
}): RedisProgressBoard {
  return new Board(options.redis, options.logger);
}

class Board implements RedisProgressBoard {
  private readonly breaker: CircuitBreaker;
  private readonly news: ProgressNews;

  constructor(
    private readonly redis: RedisConnections,
    private readonly logger: Logger,
  ) {
    this.breaker = new CircuitBreaker(monotonicMs, (state, reason) => {
      if (state === 'closed') this.logger.info({ state }, 'progress display goes on');
      else this.logger.warn({ state, reason }, 'progress display pauses; runs go on');
    });
    this.news = new ProgressNews(redis, progressNewsChannel(redis.keyPrefix), logger);
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
        .publish(progressNewsChannel(keyPrefix), task.taskId);
      if (task.userId !== null) {
        const user = progressUserKey(keyPrefix, task.userId);
        batch.sadd(user, task.taskId).expire(user, TTL_SECONDS);
      }
      await allDone(batch);
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
      const counts: Partial<Record<Stage, number>> = {};
      const stream = this.redis.primary.client.scanStream({
        match: progressPattern(this.redis.keyPrefix),
        count: SCAN_COUNT,
      });
      const seen = new Set<string>();
      for await (const keys of stream as AsyncIterable<string[]>) {
        const fresh = keys.filter((key) => !seen.has(key) && !key.includes(':upload_progress:user:'));
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

  subscribe(taskId: string, onNews: () => void): () => void {
    return this.news.subscribe(taskId, onNews);
  }

  state(): BoardState {
    return this.breaker.state();
  }

  close(): void {
    this.news.close();
  }

  /** Why the connection is down says more than what a command says that finds it so. */
  private attempt<T>(work: () => Promise<T>, fallback: T): Promise<T> {
    return this.breaker.run(work, fallback, (thrown) => this.redis.primary.reasonOf(thrown));
  }

  /** Takes forgotten tasks out of the user's set, which would only grow while the user keeps working. */
  private async tasksOf(userId: string): Promise<ProgressTask[]> {
    const { keyPrefix, primary } = this.redis;
    const user = progressUserKey(keyPrefix, userId);
    const taskIds = await primary.client.smembers(user);
    const tasks = await this.read(taskIds.map((taskId) => progressKey(keyPrefix, taskId)));
    const known = new Set(tasks.map(({ taskId }) => taskId));
    const forgotten = taskIds.filter((taskId) => !known.has(taskId));
    if (forgotten.length > 0) await primary.client.srem(user, ...forgotten);
    return tasks;
  }

  private async read(keys: string[]): Promise<ProgressTask[]> {
    if (keys.length === 0) return [];
    const texts = await this.redis.primary.client.mget(keys);
    return texts.flatMap((text) => taskFromJson(text) ?? []);
  }
}

/** A discarded transaction does not say why; the command that was refused before it does. */
async function allDone(batch: ChainableCommander): Promise<void> {
  const replies = await batch.exec().catch((thrown: Error & { previousErrors?: Error[] }) => {
    throw thrown.previousErrors?.[0] ?? thrown;
  });
  for (const [error] of replies ?? []) if (error) throw error;
}
