import { type Redis } from 'ioredis';

const REMOVE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

const RENEW = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;

/** Takes a free key. @returns false when it is taken. */
export async function takeKey(client: Redis, key: string, value: string, ttlMs: number): Promise<boolean> {
  return (await client.set(key, value, 'PX', ttlMs, 'NX')) === 'OK';
}

/** Compare-and-delete. @returns false when the key holds something else, or nothing. */
export async function removeKey(client: Redis, key: string, value: string): Promise<boolean> {
  return (await client.eval(REMOVE, 1, key, value)) === 1;
}

/** Compare-and-extend. @returns false when the key holds something else, or nothing. */
export async function renewKey(client: Redis, key: string, value: string, ttlMs: number): Promise<boolean> {
  return (await client.eval(RENEW, 1, key, value, ttlMs)) === 1;
}
