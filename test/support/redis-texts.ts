import { type Redis } from 'ioredis';

/** The whole content of a Redis, as text: every key with its value. */
export async function redisTexts(client: Redis): Promise<string> {
  const texts: string[] = [];
  for await (const keys of client.scanStream({ count: 500 })) {
    for (const key of keys as string[]) texts.push(key, JSON.stringify(await contentOf(client, key)));
  }
  return texts.join('\n');
}

async function contentOf(client: Redis, key: string): Promise<unknown> {
  const type = await client.type(key);
  switch (type) {
    case 'string':
      return client.get(key);
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    case 'stream':
      return client.xrange(key, '-', '+');
    // The key expired between the two calls.
    case 'none':
      return null;
    default:
      throw new Error(`A key has the unsupported type "${type}".`);
  }
}
