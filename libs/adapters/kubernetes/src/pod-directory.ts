import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Logger,
  type PodDirectory,
  type PodGone,
  type PodState,
  type RepotideError,
  throwIfAborted,
  toRepotideError,
} from '@core/domain';
import { type Cluster } from './cluster.js';
import { type ApiTimes, type PodApi, type PodSelection } from './pod-api.js';
import { PodLedger } from './pod-ledger.js';
import { type PodSighting } from './pod-sighting.js';
import { TakeOverSource } from './take-over-source.js';

/** In milliseconds where the name says nothing else. */
export interface FollowTimes extends ApiTimes {
  /** Wait before the first repetition after a failure; it doubles with each further one. */
  firstRetryMs: number;
  maxRetryMs: number;
  /** Between attempts while only a change of the set-up can help, such as a permission. */
  refusedRetryMs: number;
}

/**
 * A dead connection is noticed after watchSeconds + graceMs = 8 s, so that even then a take-over begins within 10 s.
 * It costs the API server one request in 5 s per pod, answered from its cache.
 */
const DEFAULT_TIMES: FollowTimes = {
  watchSeconds: 5,
  graceMs: 3000,
  answerMs: 5000,
  firstRetryMs: 250,
  maxRetryMs: 10_000,
  refusedRetryMs: 60_000,
};

/** A server that ends watches at once is not asked more often than this. */
const MIN_WATCH_MS = 1000;

export interface KubernetesPodDirectoryOptions {
  /** From `findCluster`; null falls back to heartbeats for good. */
  cluster: Cluster | null;
  namespace: string;
  /** Selects the pods that share the work, e.g. `app.kubernetes.io/instance=<release>`; empty: all of the namespace. */
  labelSelector: string;
  logger: Logger;
  /** The service's own container in its pods. Default: `repotide`, as in the chart. */
  containerName?: string;
  times?: Partial<FollowTimes>;
}

/**
 * Follows the pods by list and watch. While it cannot (outside a cluster, without permission, API away) it answers
 * `unknown`, says so once in the log, and goes on trying.
 */
export function createKubernetesPodDirectory(options: KubernetesPodDirectoryOptions): PodDirectory {
  return new KubernetesPodDirectory(options);
}

/** The client costs half a second and 90 MB to load, which is for those alone who live in a cluster. */
async function openApi(...parameters: Parameters<typeof PodApi.open>): Promise<PodApi> {
  const { PodApi: Api } = await import('./pod-api.js');
  return Api.open(...parameters);
}

/**
 * The client's own informer is not used: it keeps whole pods, takes a pod that was relabelled for a deleted one, ends
 * at the first failure, asks for no bookmarks, and cannot be stopped while it connects.
 */
class KubernetesPodDirectory implements PodDirectory {
  private readonly times: FollowTimes;
  private readonly selection: PodSelection;
  private readonly ledger = new PodLedger((podName, gone) => this.tell(podName, gone));
  private readonly listeners: ((podName: string, gone: PodGone) => void)[] = [];
  private readonly source: TakeOverSource;
  private failures = 0;

  constructor(private readonly options: KubernetesPodDirectoryOptions) {
    const { namespace, labelSelector, containerName = 'repotide', logger } = options;
    this.times = { ...DEFAULT_TIMES, ...options.times };
    this.selection = { namespace, labelSelector, containerName };
    this.source = new TakeOverSource(logger, this.selection);
  }

  start(signal: AbortSignal): void {
    const { cluster } = this.options;
    if (cluster === null) this.source.outsideOfCluster();
    else void this.followUntil(signal, cluster);
  }

  stateOf(podName: string): PodState {
    return this.source.isFollowing ? this.ledger.stateOf(podName) : 'unknown';
  }

  onGone(listener: (podName: string, gone: PodGone) => void): void {
    this.listeners.push(listener);
  }

  describe(): ReturnType<PodDirectory['describe']> {
    return this.source.describe();
  }

  private async followUntil(signal: AbortSignal, cluster: Cluster): Promise<void> {
    while (!signal.aborted) {
      const error = await this.followOnce(signal, cluster);
      if (signal.aborted) break;
      this.failures += 1;
      this.source.failed(error, this.failures);
      await sleep(this.retryDelayMs(error), undefined, { signal }).catch(() => undefined);
    }
    this.source.stopped();
  }

  /** Lists the pods and watches them from there on, over one set of connections, until something fails. */
  private async followOnce(signal: AbortSignal, cluster: Cluster): Promise<RepotideError> {
    let api: PodApi | undefined;
    const close = () => void api?.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      api = await openApi(cluster, this.selection, this.times);
      throwIfAborted(signal);
      const { pods, version } = await api.list();
      for (const pod of this.ledger.seeAll(pods)) await this.judgeMissing(api, pod);
      for (let from = version; ;) from = await this.watchOnce(api, from, signal);
    } catch (thrown) {
      return toRepotideError(thrown);
    } finally {
      signal.removeEventListener('abort', close);
      await api?.close();
    }
  }

  /** @returns the version to watch from next. */
  private async watchOnce(api: PodApi, from: string, signal: AbortSignal): Promise<string> {
    let version = from;
    const pause = sleep(MIN_WATCH_MS, undefined, { signal });
    // Told to nobody until it is awaited.
    pause.catch(() => undefined);
    const events = await api.watch(from);
    this.source.follows();
    for await (const event of events) {
      if (event.kind === 'seen') this.ledger.see(event.pod);
      if (event.kind === 'left') await this.judgeMissing(api, event.pod);
      version = event.version;
    }
    this.failures = 0;
    await pause;
    return version;
  }

  /**
   * A pod leaves a selection when it is deleted, and also when somebody changes its labels: then it still runs. Only
   * the API's word that the name is free, or another pod's, proves the first.
   */
  private async judgeMissing(api: PodApi, pod: PodSighting): Promise<void> {
    const uid = await api.uidOf(pod.name);
    if (uid === pod.uid) this.ledger.forget(pod);
    else this.ledger.remove(pod, uid !== null);
  }

  /** Half of it is random, so that the pods of a release do not come back all at once. */
  private retryDelayMs({ kind }: RepotideError): number {
    const { firstRetryMs, maxRetryMs, refusedRetryMs } = this.times;
    const isRefused = kind === 'forbidden' || kind === 'invalid';
    const fullMs = isRefused ? refusedRetryMs : Math.min(maxRetryMs, firstRetryMs * 2 ** (this.failures - 1));
    return fullMs * (0.5 + Math.random() / 2);
  }

  private tell(podName: string, gone: PodGone): void {
    const { logger } = this.options;
    logger.info({ pod: podName, reason: gone.reason, has_successor: gone.hasSuccessor }, 'pod is gone');
    for (const listener of this.listeners) {
      try {
        listener(podName, gone);
      } catch (thrown) {
        const error = toRepotideError(thrown);
        logger.error({ pod: podName, error_code: error.code, error: error.message }, 'take-over not begun');
      }
    }
  }
}
