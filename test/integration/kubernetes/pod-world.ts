import { setTimeout as sleep } from 'node:timers/promises';
import {
  findCluster,
  KubernetesPodDirectory,
  type KubernetesPodDirectoryOptions,
  type WatchTimes,
} from '@adapters/kubernetes';
import { type PodDirectory, type PodEnd } from '@core/domain';
import { type KubernetesStandIn, startKubernetesStandIn } from '@devkit';
import { CapturedLog } from '../../support/captured-log.js';

/** Short, for tests; a watch lasts at least one second. */
const TIMES: WatchTimes = {
  watchSeconds: 1,
  graceMs: 500,
  answerMs: 2000,
  firstRetryMs: 20,
  maxRetryMs: 100,
  refusedRetryMs: 100,
};
const WAIT_LIMIT_MS = 20_000;

/** A directory that watches a stand-in, and what it has reported. */
export interface PodWorld {
  cluster: KubernetesStandIn;
  directory: PodDirectory;
  log: CapturedLog;
  ended: [podName: string, reason: PodEnd['reason'], successor: 'successor' | 'none'][];
  /** Stops the directory, not the cluster. */
  stopFollowing(): void;
  stop(): Promise<void>;
}

/** @param prepare changes the cluster before the directory lists it. */
export async function startPodWorld(
  prepare: (cluster: KubernetesStandIn) => void = () => undefined,
  options: Partial<KubernetesPodDirectoryOptions> = {},
): Promise<PodWorld> {
  const cluster = await startKubernetesStandIn();
  prepare(cluster);
  const log = new CapturedLog();
  const directory = new KubernetesPodDirectory({
    cluster: findCluster(cluster.env)!,
    namespace: cluster.namespace,
    labelSelector: 'app.kubernetes.io/instance=repotide',
    logger: log,
    times: TIMES,
    ...options,
  });
  const ended: PodWorld['ended'] = [];
  directory.onPodEnd((podName, { reason, hasSuccessor }) =>
    ended.push([podName, reason, hasSuccessor ? 'successor' : 'none']),
  );
  const ending = new AbortController();
  directory.start(ending.signal);
  const stop = async () => {
    ending.abort();
    await cluster.stop();
  };
  return { cluster, directory, log, ended, stopFollowing: () => ending.abort(), stop };
}

/** Resolves when the directory watches the pods. */
export async function following({ directory }: PodWorld): Promise<void> {
  await until(() => directory.describe().source === 'kubernetes');
}

/** Resolves when the directory has listed all pods `count` more times, and watches again. */
export async function relisted(world: PodWorld, count = 1): Promise<void> {
  const before = listsOf(world.cluster);
  await until(() => listsOf(world.cluster) >= before + count && world.cluster.watchCount() > 0);
  await following(world);
}

export function listsOf({ requests }: KubernetesStandIn): number {
  return requests.filter(({ path, query }) => path.endsWith('/pods') && query.watch === undefined).length;
}

export function watchesOf({ requests }: KubernetesStandIn): number {
  return requests.filter(({ query }) => query.watch === 'true').length;
}

/** @throws after 20 seconds. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_LIMIT_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`This never came true: ${isSo.toString()}`);
    await sleep(10);
  }
}
