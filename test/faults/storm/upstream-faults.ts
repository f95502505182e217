import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultEffect, type QdrantFault, type Random } from '@devkit';
import { type Cluster } from '../system/cluster.js';
import { type ActiveFault, type Fault } from './fault.js';

/** Short enough that most runs recover by their own retries. */
const LONGEST_MS = 6_000;

const EFFECTS: Readonly<Record<string, FaultEffect>> = {
  '500': { kind: 'status', status: 500 },
  '503': { kind: 'status', status: 503 },
  '429': { kind: 'status', status: 429, retryAfterSeconds: 2 },
  'cut off': { kind: 'cut' },
  silent: { kind: 'stall' },
  'cut off in the middle': { kind: 'cut', afterBytes: 40 },
};

const OVER_HTTP = (['gitlab', 'embedding'] as const).flatMap((group) =>
  Object.entries(EFFECTS).map(([name, effect]): Fault => ({
    name: `${group} ${name}`,
    weight: 1,
    group,
    strike: (cluster, random) => forAWhile(cluster, random, group, effect),
  })),
);

const QDRANT_BLOWS: Readonly<Record<string, QdrantFault>> = {
  '503': { kind: 'status', status: 503 },
  'cut off': { kind: 'cut' },
  'cut off after the write': { kind: 'cut_after' },
  silent: { kind: 'stall' },
  'write queued': { kind: 'wait_timeout', operation: 'upsert_points' },
  'deletion queued': { kind: 'wait_timeout', operation: 'delete_points' },
};

const ON_QDRANT = Object.entries(QDRANT_BLOWS).map(([name, fault]): Fault => ({
  name: `qdrant ${name}`,
  weight: 1.5,
  group: 'qdrant',
  strike: ({ standIns, options }, random) =>
    options.mode === 'standalone'
      ? null
      : {
          target: 'qdrant',
          over: standIns.call('addQdrantFault', { ...fault, times: 1 + random.below(6) }),
        },
}));

export const UPSTREAM_FAULTS: readonly Fault[] = [...OVER_HTTP, ...ON_QDRANT];

function forAWhile(
  { standIns }: Cluster,
  random: Random,
  group: 'gitlab' | 'embedding',
  effect: FaultEffect,
): ActiveFault {
  const lasts = random.next() * LONGEST_MS;
  const over = async (): Promise<void> => {
    await standIns.call('addFault', group, { effect });
    await sleep(lasts);
    await standIns.call('clearFaults', group);
  };
  return { target: group, over: over() };
}
