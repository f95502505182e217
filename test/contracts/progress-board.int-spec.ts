import { describe, expect, it } from '@jest/globals';
import { connectRedis, RedisProgressBoard } from '@adapters/redis';
import { systemClock } from '@core/domain';
import { MemoryProgressBoard } from '@adapters/memory';
import { openTestRedis, startTestRedis } from '../support/redis.js';
import { silentLogger as logger } from '../support/silent-logger.js';
import { progressBoardContract, progressTask } from './progress-board.contract.js';

progressBoardContract('memory', async () => {
  const board = new MemoryProgressBoard(systemClock);
  return { board, other: board, close: async () => undefined };
});

progressBoardContract('Redis', async () => {
  const space = await openTestRedis();
  const { url, keyPrefix } = space;
  const pods = await Promise.all([1, 2].map(() => connectRedis({ urls: [url], keyPrefix, logger })));
  const [board, other] = pods.map((redis) => new RedisProgressBoard(redis, logger));
  return {
    board: board!,
    other: other!,
    close: async () => {
      for (const each of [board!, other!]) each.close();
      for (const redis of pods) await redis.close();
      await space.release();
    },
  };
});

describe('memory progress', () => {
  it('removes ended tasks after a minute and silent ones after five', async () => {
    let now = Date.parse('2026-05-04T10:00:00Z');
    const clock = { now: () => new Date(now), monotonicMs: () => now };
    const board = new MemoryProgressBoard(clock);
    const [ended, silent] = [
      progressTask({ status: 'completed', updatedAt: clock.now() }),
      progressTask({ updatedAt: clock.now() }),
    ];
    await board.save(ended);
    await board.save(silent);
    now += 61_000;
    expect(await board.find(ended.taskId)).toBeNull();
    expect(await board.find(silent.taskId)).not.toBeNull();
    now += 240_000;
    expect(await board.find(silent.taskId)).toBeNull();
  });
});

describe('progress in Redis', () => {
  it('uses the documented key names and expiry times', async () => {
    const space = await openTestRedis();
    const redis = await connectRedis({ urls: [space.url], keyPrefix: space.keyPrefix, logger });
    const board = new RedisProgressBoard(redis, logger);
    const task = progressTask();
    await board.save(task);
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
    board.close();
    await redis.close();
    await space.release();
  });

  it('pauses after three failures and never throws', async () => {
    const server = await startTestRedis();
    const redis = await connectRedis({
      urls: [server.url],
      keyPrefix: 'test',
      logger,
      commandTimeoutMs: 300,
    });
    const board = new RedisProgressBoard(redis, logger);
    const task = progressTask();
    await board.save(task);
    expect(board.state()).toBe('closed');
    await server.kill();
    for (let attempt = 0; attempt < 3; attempt++) await board.save(task);
    expect(board.state()).toBe('open');
    expect(await board.find(task.taskId)).toBeNull();
    board.close();
    await redis.close();
    await server.stop();
  });
});
