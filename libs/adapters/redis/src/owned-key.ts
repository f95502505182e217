import { setTimeout as sleep } from 'node:timers/promises';
import { type Redis } from 'ioredis';

const REMOVE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

const RENEW = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;

/**
 * A server that was frozen may read two connections in either order, so an abandoned `SET` can take effect after the first
 * removal. The second removal is sent after the reply to the first, and takes effect after the `SET`.
 */
const REMOVALS = 2;
const RETRY_MS = 250;

/** Sets a free key. @returns false when the key exists. */
export async function takeKey(client: Redis, key: string, value: string, ttlMs: number): Promise<boolean> {
  return (await client.set(key, value, 'PX', ttlMs, 'NX')) === 'OK';
}

/** Compare-and-delete. @returns false when the key has another value or none. */
export async function removeKey(client: Redis, key: string, value: string): Promise<boolean> {
  return (await client.eval(REMOVE, 1, key, value)) === 1;
}

/** Compare-and-delete, retried until the server replies or the signal fires. Never throws. */
export async function removeKeyEventually(
  client: Redis,
  key: string,
  value: string,
  signal: AbortSignal,
): Promise<void> {
  for (let replies = 0; replies < REMOVALS && !signal.aborted;) {
    const hasReplied = await removeKey(client, key, value).then(
      () => true,
      () => false,
    );
    if (hasReplied) replies++;
    await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Compare-and-extend. @returns false when the key has another value or none. */
export async function renewKey(client: Redis, key: string, value: string, ttlMs: number): Promise<boolean> {
  return (await client.eval(RENEW, 1, key, value, ttlMs)) === 1;
}
