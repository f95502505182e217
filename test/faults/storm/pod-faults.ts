import { setTimeout as sleep } from 'node:timers/promises';
import { type Random } from '@devkit';
import { type Cluster } from '../system/cluster.js';
import { type Pod } from '../system/pod.js';
import { type ActiveFault, type Fault, shareOfLease } from './fault.js';

/** Time for a container restart, or for a Deployment to start a new pod. */
const LONGEST_ABSENCE_MS = 6_000;
/** Share of the faults that hit a pod with an active run. */
const AIMED_SHARE = 0.8;

export const POD_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9',
    weight: 10,
    group: 'pod',
    removesOnePod: true,
    strike: (cluster, random) =>
      onPod(cluster, random, async (pod) => {
        await pod.kill();
        await comeBack(cluster, random, pod);
      }),
  },
  {
    name: 'freeze, shorter than the lease',
    weight: 5,
    group: 'pod',
    strike: (cluster, random) =>
      onPod(cluster, random, async (pod) => {
        pod.freeze();
        await sleep(shareOfLease(cluster, random, 0.2, 0.7));
        pod.thaw();
      }),
  },
  {
    name: 'freeze, longer than the lease',
    weight: 10,
    group: 'pod',
    strike: (cluster, random) =>
      onPod(cluster, random, async (pod) => {
        pod.freeze();
        await sleep(shareOfLease(cluster, random, 1.3, 2.5));
        pod.thaw();
      }),
  },
  {
    name: 'freeze, then kill -9',
    weight: 3,
    group: 'pod',
    strike: (cluster, random) =>
      onPod(cluster, random, async (pod) => {
        pod.freeze();
        await sleep(shareOfLease(cluster, random, 0.5, 2));
        await pod.kill();
        await comeBack(cluster, random, pod);
      }),
  },
  {
    name: 'SIGTERM',
    weight: 8,
    group: 'pod',
    removesOnePod: true,
    strike: (cluster, random) =>
      onPod(cluster, random, async (pod) => {
        await pod.terminate();
        await comeBack(cluster, random, pod);
      }),
  },
  {
    name: 'SIGTERM, twice',
    weight: 3,
    group: 'pod',
    removesOnePod: true,
    strike: (cluster, random) =>
      onPod(cluster, random, async (pod) => {
        const ended = pod.terminate();
        await Promise.race([ended, sleep(random.next() * 2_000)]);
        await pod.terminate();
        await comeBack(cluster, random, pod);
      }),
  },
];

async function onPod(
  cluster: Cluster,
  random: Random,
  inject: (pod: Pod) => Promise<void>,
): Promise<ActiveFault | null> {
  const isAimed = random.next() < AIMED_SHARE;
  const position = random.next();
  const busy = isAimed ? await cluster.busyPods() : [];
  const targets = busy.length > 0 ? busy : cluster.upPods;
  const pod = targets[Math.floor(position * targets.length)];
  return pod === undefined ? null : { target: pod.name, over: inject(pod) };
}

async function comeBack(cluster: Cluster, random: Random, pod: Pod): Promise<void> {
  await sleep(random.next() * LONGEST_ABSENCE_MS);
  const slot = cluster.slots.indexOf(pod);
  // The start may fail during another fault; the supervisor then starts the pod again.
  await cluster.revive(slot, random.next() < 0.5 ? 'same' : 'new').catch(() => undefined);
}
