import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectRedis, createRedisHints, type RedisHints } from '@adapters/redis';
import { type Hint } from '@core/domain';
import { eventually } from '../../support/eventually.js';
import { silentLogger as logger } from '../../support/silent-logger.js';
import { startTestRedis, withRedis, type TestRedis } from '../../support/redis.js';

let server: TestRedis;
let undo: (() => Promise<void>)[];

beforeEach(async () => {
  server = await startTestRedis();
  undo = [() => server.stop()];
});
afterEach(async () => {
  for (const step of undo.reverse()) await step();
});

async function openHints(
  keyPrefix = 'test',
): Promise<{ hints: RedisHints; heard: Hint[]; stop: () => void }> {
  const redis = await connectRedis({ urls: [server.url], keyPrefix, commandTimeoutMs: 300, logger });
  const hints = createRedisHints({ redis, logger });
  undo.push(async () => {
    await hints.close();
    await redis.close();
  });
  const heard: Hint[] = [];
  const stop = hints.subscribe((hint) => heard.push(hint));
  return { hints, heard, stop };
}

const changed: Hint = { kind: 'schedules_changed' };
const cancel: Hint = { kind: 'cancel_requested', executionId: 'e1' };

/** Hints may be lost, so this publishes until one has arrived. */
async function publishUntil(hints: RedisHints, hint: Hint, isEnough: () => boolean): Promise<void> {
  await eventually(() => {
    hints.publish(hint);
    return isEnough();
  });
}

describe('hints', () => {
  it('reach all pods of the installation, including the sender, and no other installation', async () => {
    const [first, second, stranger] = [await openHints(), await openHints(), await openHints('other')];
    await publishUntil(first.hints, changed, () => first.heard.length > 0 && second.heard.length > 0);
    first.hints.publish(cancel);
    await eventually(() => second.heard.some(({ kind }) => kind === 'cancel_requested'));
    expect(second.heard.at(-1)).toEqual(cancel);
    expect(stranger.heard).toEqual([]);
  });

  it('are not delivered after the subscription has stopped', async () => {
    const [first, second] = [await openHints(), await openHints()];
    second.stop();
    await publishUntil(first.hints, changed, () => first.heard.length > 3);
    expect(second.heard).toEqual([]);
  });

  it('are lost in an outage, and delivered again after it', async () => {
    const { hints, heard } = await openHints();
    await publishUntil(hints, changed, () => heard.length > 0);
    await server.kill();
    hints.publish(cancel);
    await server.start('empty');
    heard.length = 0;
    await publishUntil(hints, cancel, () => heard.length > 0);
  });

  it('are ignored when they come from another version', async () => {
    const { hints, heard } = await openHints();
    await publishUntil(hints, changed, () => heard.length > 0);
    await withRedis(server.url, async (client) => {
      for (const text of ['', 'null', '{"kind":"news"}', '{"kind":"cancel_requested"}', 'not JSON']) {
        await client.publish('test:hints', text);
      }
    });
    await publishUntil(hints, cancel, () => heard.some(({ kind }) => kind === 'cancel_requested'));
    for (const hint of heard) expect([changed, cancel]).toContainEqual(hint);
  });
});
