import { describe, expect, it } from '@jest/globals';
import { connectRedis, RedisProgressStore } from '@adapters/redis';
import { connectDatabase, PostgresProgressStore } from '@adapters/postgres';
import { systemClock } from '@core/domain';
import { MemoryProgressStore } from '@adapters/memory';
import { eventually } from '../support/eventually.js';
import { createTestDatabase } from '../support/postgres.js';
import { openTestRedis, startTestRedis } from '../support/redis.js';
import { silentLogger as logger } from '../support/silent-logger.js';
import { progressStoreContract, progressTask } from './progress-store.contract.js';

progressStoreContract('memory', async () => {
  const store = new MemoryProgressStore(systemClock);
  return { store, other: store, close: async () => undefined };
});

progressStoreContract('Postgres', async () => {
  const testDatabase = await createTestDatabase();
  const pods = await Promise.all([1, 2].map(() => connectDatabase({ url: testDatabase.url, logger })));
  const [store, other] = pods.map((database) => new PostgresProgressStore(database));
  return {
    store: store!,
    other: other!,
    close: async () => {
      for (const each of [store!, other!]) each.close();
      for (const database of pods) await database.close();
      await testDatabase.drop();
    },
  };
});

describe('progress in Postgres', () => {
  it('removes tasks that did not change for ten minutes, and answers nothing while Postgres is down', async () => {
    const testDatabase = await createTestDatabase();
    const database = await connectDatabase({ url: testDatabase.url, logger });
    const store = new PostgresProgressStore(database);
    const old = progressTask();
    await store.save(old);
    await database.query(`UPDATE progress_tasks SET updated_at = clock_timestamp() - interval '11 minutes'`);
    expect(await store.find(old.taskId)).toBeNull();
    await store.save(progressTask({ status: 'initializing' }));
    expect(await database.query('SELECT task_id FROM progress_tasks')).toHaveLength(1);
    expect(await store.eventsAfter(old.taskId, null)).toEqual([]);
    expect(store.state()).toBe('closed');
    await database.close();
    expect(await store.save(progressTask())).toBe(false);
    expect(await store.listOf('somebody')).toEqual([]);
    expect(store.state()).toBe('open');
    await testDatabase.drop();
  });
});

progressStoreContract('Redis', async () => {
  const space = await openTestRedis();
  const { url, keyPrefix } = space;
  const pods = await Promise.all([1, 2].map(() => connectRedis({ urls: [url], keyPrefix, logger })));
  const [store, other] = pods.map((redis) => new RedisProgressStore(redis, logger));
  return {
    store: store!,
    other: other!,
    close: async () => {
      for (const each of [store!, other!]) each.close();
      for (const redis of pods) await redis.close();
      await space.release();
    },
  };
});

describe('memory progress', () => {
  it('removes ended tasks after a minute and silent ones after five', async () => {
    let now = Date.parse('2026-05-04T10:00:00Z');
    const clock = { now: () => new Date(now), monotonicMs: () => now };
    const store = new MemoryProgressStore(clock);
    const [ended, silent] = [
      progressTask({ status: 'completed', updatedAt: clock.now() }),
      progressTask({ updatedAt: clock.now() }),
    ];
    await store.save(ended);
    await store.save(silent);
    now += 61_000;
    expect(await store.find(ended.taskId)).toBeNull();
    expect(await store.find(silent.taskId)).not.toBeNull();
    now += 240_000;
    expect(await store.find(silent.taskId)).toBeNull();
  });
});

describe('progress in Redis', () => {
  it('uses the documented key names and expiry times', async () => {
    const space = await openTestRedis();
    const redis = await connectRedis({ urls: [space.url], keyPrefix: space.keyPrefix, logger });
    const store = new RedisProgressStore(redis, logger);
    const task = progressTask();
    await store.save(task);
    const { client } = redis.primary;
    const key = `${space.keyPrefix}:upload_progress:${task.taskId}`;
    const stored = JSON.parse((await client.get(key)) ?? '{}') as Record<string, unknown>;
    expect(stored).toMatchObject({
      task_id: task.taskId,
      current_step_number: 6,
      failed_files: 0,
      cancelled: false,
    });
    expect(await client.ttl(key)).toBeGreaterThan(590);
    const user = `${space.keyPrefix}:upload_progress:user:somebody`;
    expect(await client.smembers(user)).toEqual([task.taskId]);
    expect(await client.ttl(user)).toBeGreaterThan(590);
    store.close();
    await redis.close();
    await space.release();
  });

  it('pauses after three failures without an error, and continues a minute later when Redis is back', async () => {
    const server = await startTestRedis();
    const redis = await connectRedis({
      urls: [server.url],
      keyPrefix: 'test',
      logger,
      commandTimeoutMs: 300,
    });
    let passedMs = 0;
    const store = new RedisProgressStore(redis, logger, () => performance.now() + passedMs);
    const task = progressTask();
    await store.save(task);
    expect(store.state()).toBe('closed');
    await server.kill();
    for (let attempt = 0; attempt < 3; attempt++) await store.save(task);
    expect(store.state()).toBe('open');
    expect(await store.find(task.taskId)).toBeNull();

    await server.start('kept');
    expect(await store.save(task)).toBe(false);
    passedMs = 60_000;
    expect(store.state()).toBe('half_open');
    // The connection may not be back yet; then the store pauses for another minute.
    await eventually(async () => {
      passedMs += 60_000;
      return store.save(task);
    });
    expect(store.state()).toBe('closed');
    expect(await store.find(task.taskId)).toMatchObject({ taskId: task.taskId });
    store.close();
    await redis.close();
    await server.stop();
  });
});
