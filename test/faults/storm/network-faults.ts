import { setTimeout as sleep } from 'node:timers/promises';
import { type Random } from '@devkit';
import { type TcpProxy } from '../../support/tcp-proxy.js';
import { type Cluster, type PodLinks } from '../system/cluster.js';
import { type ActiveFault, type Fault, shareOfLease } from './fault.js';

type Weather = (proxies: readonly TcpProxy[], lasts: number, random: Random) => Promise<void>;

const WEATHERS: readonly (readonly [string, number, Weather])[] = [
  ['cut', 3, async (proxies) => proxies.forEach((proxy) => proxy.cut())],
  [
    'refused',
    3,
    async (proxies, lasts) => {
      for (const proxy of proxies) proxy.refuse();
      await sleep(lasts);
      for (const proxy of proxies) proxy.admit();
    },
  ],
  ['swallowed', 4, (proxies, lasts) => blackhole(proxies, lasts, 'to-server', 'to-client')],
  // The server does the write, but its answer is lost. This is the hardest case.
  ['half-open', 4, (proxies, lasts) => blackhole(proxies, lasts, 'to-client')],
  [
    'slow',
    2,
    async (proxies, lasts, random) => {
      for (const proxy of proxies) proxy.setLatency(20 + random.below(180));
      await sleep(lasts);
      for (const proxy of proxies) proxy.setLatency(0);
    },
  ],
];

type Stores = readonly (keyof PodLinks)[];
const STORES: readonly Stores[] = [['redis'], ['postgres'], ['qdrant'], ['postgres', 'redis']];

/** Each network fault for each store, and for both that decide about runs, for one pod and for all pods. */
export const NETWORK_FAULTS: readonly Fault[] = STORES.flatMap((stores) =>
  (['one pod', 'all pods'] as const).flatMap((scope) =>
    WEATHERS.map(([name, weight, weather]): Fault => ({
      name: `${stores.join(' and ')} ${name} for ${scope}`,
      weight: scope === 'one pod' ? weight / 5 : weight / 10,
      group: 'network',
      strike: (cluster, random) => onLinks(cluster, random, stores, scope, weather),
    })),
  ),
);

function onLinks(
  cluster: Cluster,
  random: Random,
  stores: Stores,
  scope: 'one pod' | 'all pods',
  weather: Weather,
): ActiveFault | null {
  const slots = cluster.slots.map((_, slot) => slot);
  const chosen = scope === 'all pods' ? slots : [random.pick(slots)];
  const proxies = chosen.flatMap((slot) => stores.flatMap((store) => cluster.links[slot]?.[store] ?? []));
  if (proxies.length === 0) return null;
  const target = scope === 'all pods' ? 'all' : cluster.slots[chosen[0]!]!.name;
  return { target, over: weather(proxies, shareOfLease(cluster, random, 0.2, 2.2), random) };
}

async function blackhole(
  proxies: readonly TcpProxy[],
  lasts: number,
  ...directions: Parameters<TcpProxy['blackhole']>
): Promise<void> {
  for (const proxy of proxies) proxy.blackhole(...directions);
  await sleep(lasts);
  for (const proxy of proxies) proxy.restore();
}
