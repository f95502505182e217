import { setTimeout as sleep } from 'node:timers/promises';
import { type Random } from '@devkit';
import { freePort } from '../../support/free-port.js';
import { withRedis } from '../../support/redis.js';
import { type Cluster } from '../system/cluster.js';
import { type ActiveFault, type Fault, shareOfLease } from './fault.js';

type Redis = NonNullable<Cluster['redis']>;

const LONGEST_OUTAGE_MS = 5_000;

export const STORE_FAULTS: readonly Fault[] = [
  {
    name: 'Redis killed, its memory kept',
    weight: 4,
    group: 'redis',
    strike: (cluster, random) => onRedis(cluster, (redis) => restartRedis(redis, random, 'kept')),
  },
  {
    name: 'Redis killed, its memory lost',
    weight: 5,
    group: 'redis',
    strike: (cluster, random) => onRedis(cluster, (redis) => restartRedis(redis, random, 'empty')),
  },
  {
    name: 'Redis frozen',
    weight: 4,
    group: 'redis',
    strike: (cluster, random) =>
      onRedis(cluster, async (redis) => {
        redis.freeze();
        await sleep(shareOfLease(cluster, random, 0.3, 1.5));
        redis.thaw();
      }),
  },
  {
    name: 'Redis demoted',
    weight: 5,
    group: 'redis',
    strike: (cluster, random) =>
      onRedis(cluster, (redis) => demote(redis, shareOfLease(cluster, random, 0.3, 2))),
  },
  {
    name: 'FLUSHALL',
    weight: 5,
    group: 'redis',
    strike: (cluster) =>
      onRedis(cluster, (redis) => withRedis(redis.url, async (client) => void (await client.flushall()))),
  },
  {
    name: 'Postgres crashed',
    weight: 5,
    group: 'postgres',
    strike: ({ postgres }) => onPostgres(() => postgres.crash()),
  },
  {
    name: 'all backends terminated',
    weight: 4,
    group: 'postgres',
    strike: ({ postgres }) => onPostgres(() => postgres.terminateBackends()),
  },
  {
    name: 'schedules locked',
    weight: 2,
    group: 'postgres',
    strike: ({ postgres }, random) => onPostgres(() => postgres.lockSchedules(1_000 + random.next() * 5_000)),
  },
];

function onRedis({ redis }: Cluster, inject: (redis: Redis) => Promise<void>): ActiveFault | null {
  return redis && { target: 'redis', over: inject(redis) };
}

/** Makes it a replica of a server that does not answer: it keeps its data and refuses writes. */
async function demote({ url }: Redis, lasts: number): Promise<void> {
  const nobody = await freePort();
  await withRedis(url, (client) => client.replicaof('127.0.0.1', nobody));
  await sleep(lasts);
  await withRedis(url, (client) => client.replicaof('NO', 'ONE'));
}

function onPostgres(inject: () => Promise<void>): ActiveFault {
  return { target: 'postgres', over: inject() };
}

async function restartRedis(redis: Redis, random: Random, memory: 'kept' | 'empty'): Promise<void> {
  await redis.kill();
  await sleep(random.next() * LONGEST_OUTAGE_MS);
  await redis.start(memory);
}
