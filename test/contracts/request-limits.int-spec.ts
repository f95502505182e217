import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectRedis, RedisRequestLimits, type RedisConnections } from '@adapters/redis';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { silentLogger as logger } from '../support/silent-logger.js';

let server: TestRedis;
let pods: RedisConnections[];
let limits: RedisRequestLimits[];

beforeAll(async () => {
  server = await startTestRedis();
  pods = await Promise.all(
    ['a', 'b', 'c'].map(() => connectRedis({ urls: [server.url], keyPrefix: 'test', logger })),
  );
  limits = pods.map((redis) => new RedisRequestLimits(redis, logger));
});
afterAll(async () => {
  await Promise.all(pods.map((redis) => redis.close()));
  await server.stop();
});

describe('the limits of the API in Redis', () => {
  it('allow all pods together the limit of one minute', async () => {
    const perMinute = 30;
    const verdicts = await Promise.all(
      Array.from({ length: 90 }, (_, sent) => limits[sent % 3]!.take('caller:ann', perMinute)),
    );
    const allowed = verdicts.filter((verdict) => verdict?.isAllowed === true);
    // A slow machine may gain some requests while the test runs, but each pod alone would allow all.
    expect(allowed.length).toBeGreaterThanOrEqual(perMinute);
    const refused = verdicts.filter((verdict) => verdict?.isAllowed === false);
    expect(refused[0]).toMatchObject({ remaining: 0 });
    expect(refused[0]?.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(await limits[0]!.take('caller:bob', perMinute)).toMatchObject({ isAllowed: true, remaining: 29 });
  });

  it('leave keys that expire', async () => {
    await limits[1]!.take('failures:192.0.2.1', 10);
    const { client } = pods[0]!.primary;
    expect(await client.pttl('test:requests:failures:192.0.2.1')).toBeGreaterThan(0);
  });

  it('are unknown while Redis does not answer, so that each pod counts alone', async () => {
    const gone = await startTestRedis();
    const redis = await connectRedis({ urls: [gone.url], keyPrefix: 'test', logger });
    await gone.stop();
    expect(await new RedisRequestLimits(redis, logger).take('caller:ann', 5)).toBeNull();
    await redis.close();
  });
});
