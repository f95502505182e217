import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectRedis, RedisProgressStore, type RedisConnections } from '@adapters/redis';
import { progressTask } from '../../contracts/progress-store.contract.js';
import { CapturedLog } from '../../support/captured-log.js';
import { until } from '../../support/command-line.js';
import { startTestRedis, type TestRedis, withRedis } from '../../support/redis.js';

let server: TestRedis;
let log: CapturedLog;
let store: RedisProgressStore;
let redis: RedisConnections;

beforeEach(async () => {
  server = await startTestRedis();
  log = new CapturedLog();
  redis = await connectRedis({
    urls: [server.url],
    keyPrefix: 'test',
    logger: log,
    commandTimeoutMs: 500,
  });
  store = new RedisProgressStore(redis, log);
});
afterEach(async () => {
  store.close();
  await redis.close();
  await server.stop();
});

const states = () => log.lines.flatMap(({ fields }) => fields['state'] ?? []);

describe('the progress store during Redis problems', () => {
  it('is disabled when the user has no write permission', async () => {
    expect(await store.save(progressTask())).toBe(true);
    await withRedis(server.url, (client) => client.call('ACL', 'SETUSER', 'default', '-xadd'));
    expect(await store.save(progressTask())).toBe(false);
    expect(store.state()).toBe('disabled');
    expect(states()).toEqual(['disabled']);
  });

  it('is disabled when the password has changed', async () => {
    await withRedis(server.url, async (client) => {
      await client.config('SET', 'requirepass', 'another');
      await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    });
    const answer = (): Promise<string> => redis.ping().then(String, (thrown: Error) => thrown.message);
    await until('the credentials to be refused', async () => (await answer()).includes('NOAUTH'));
    expect(await store.find(progressTask().taskId)).toBeNull();
    expect(store.state()).toBe('disabled');
    expect(JSON.stringify(log.lines)).not.toContain('another');
  });

  it('reports whether a state was saved, and sends nothing while it pauses', async () => {
    const task = progressTask();
    await server.kill();
    for (let failure = 0; failure < 3; failure++) expect(await store.save(task)).toBe(false);
    expect(store.state()).toBe('open');
    await server.start();
    expect(await store.save(task)).toBe(false);
    const kept = await withRedis(server.url, (client) => client.dbsize());
    expect(kept).toBe(0);
  });
});

describe('the tasks of a user', () => {
  it('lose their expired entries one by one, while newer tasks are saved', async () => {
    const [former, next] = [
      progressTask({ userId: 'ci' }),
      progressTask({ userId: 'ci', status: 'initializing' }),
    ];
    await store.save(former);
    await withRedis(server.url, (client) => client.del(`test:upload_progress:${former.taskId}`));
    await store.save(next);
    const kept = await withRedis(server.url, (client) => client.smembers('test:upload_progress:user:ci'));
    expect(kept).toEqual([next.taskId]);
  });
});

describe('progress statistics', () => {
  it('never use KEYS', async () => {
    const commands: string[] = [];
    await withRedis(server.url, async (client) => {
      const monitor = await client.monitor();
      monitor.on('monitor', (_time: string, words: string[]) => commands.push(words[0]!.toLowerCase()));
      await store.save(progressTask());
      expect(await store.countByStatus()).toEqual({ embedding: 1 });
      await until('the commands to be seen', () => commands.includes('scan'));
      monitor.disconnect();
    });
    expect(commands).not.toContain('keys');
  });
});
