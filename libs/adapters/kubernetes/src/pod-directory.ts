import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Logger,
  type PodDirectory,
  type PodEnd,
  type PodState,
  type RepotideError,
  throwIfAborted,
  toRepotideError,
} from '@core/domain';
import { type Cluster } from './cluster.js';
import { type ApiTimes, type PodApi, type PodSelection } from './pod-api.js';
import { PodCache } from './pod-cache.js';
import { type PodSnapshot } from './pod-snapshot.js';

/** In milliseconds unless the name says otherwise. */
export interface WatchTimes extends ApiTimes {
  /** Wait after the first failure; it doubles with each further one. */
  firstRetryMs: number;
  maxRetryMs: number;
  /** Wait when only a change of the configuration, such as a permission, can help. */
  refusedRetryMs: number;
}

/**
 * A dead connection is noticed after watchSeconds + graceMs = 8 s, so that even then a take-over starts within 10 s. The
 * API server gets one request per pod and 5 s, which it answers from its cache.
 */
const DEFAULT_TIMES: WatchTimes = {
  watchSeconds: 5,
  graceMs: 3000,
  answerMs: 5000,
  firstRetryMs: 250,
  maxRetryMs: 10_000,
  refusedRetryMs: 60_000,
};

/** Bounds the request rate to a server that ends watches at once. */
const MIN_WATCH_MS = 1000;

export interface KubernetesPodDirectoryOptions {
  cluster: Cluster;
  namespace: string;
  /** Selects the pods of the release, e.g. `app.kubernetes.io/instance=<release>`; empty: all pods of the namespace. */
  labelSelector: string;
  logger: Logger;
  /** The service's own container. Default: `repotide`, as in the chart. */
  containerName?: string;
  times?: Partial<WatchTimes>;
}

/**
 * Watches the pods. While that fails (missing permission, API down) every state is `unknown`, it logs that once, and
 * retries.
 *
 * The informer of @kubernetes/client-node is not used: it stores whole pods, reports a relabelled pod as deleted, ends
 * at the first failure, requests no bookmarks, and cannot be stopped while it connects.
 */
export class KubernetesPodDirectory implements PodDirectory {
  private readonly times: WatchTimes;
  private readonly selection: PodSelection;
  private readonly cache = new PodCache((podName, end) => this.notify(podName, end));
  private readonly listeners: ((podName: string, end: PodEnd) => void)[] = [];
  private isWatching = false;
  private reason = 'the pods have not been listed yet';
  /** The state that was logged last. A state that repeats is logged once. */
  private loggedState: string | null = null;
  /** Since the last complete watch. */
  private failures = 0;

  constructor(private readonly options: KubernetesPodDirectoryOptions) {
    const { namespace, labelSelector, containerName = 'repotide' } = options;
    this.times = { ...DEFAULT_TIMES, ...options.times };
    this.selection = { namespace, labelSelector, containerName };
  }

  start(signal: AbortSignal): void {
    void this.watchUntil(signal);
  }

  stateOf(podName: string): PodState {
    return this.isWatching ? this.cache.stateOf(podName) : 'unknown';
  }

  onPodEnd(listener: (podName: string, end: PodEnd) => void): void {
    this.listeners.push(listener);
  }

  describe(): ReturnType<PodDirectory['describe']> {
    return { source: this.isWatching ? 'kubernetes' : 'heartbeats', reason: this.reason };
  }

  private async watchUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const error = await this.listAndWatch(signal);
      if (signal.aborted) break;
      this.failures += 1;
      this.onFailure(error);
      await sleep(this.retryDelayMs(error), undefined, { signal }).catch(() => undefined);
    }
    this.isWatching = false;
    this.reason = 'shutting down';
  }

  /** Lists the pods and watches them from then on, until something fails. */
  private async listAndWatch(signal: AbortSignal): Promise<RepotideError> {
    let api: PodApi | undefined;
    const close = () => void api?.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      // The client takes half a second and 90 MB to load, which only processes in a cluster need.
      const { PodApi: Api } = await import('./pod-api.js');
      api = await Api.open(this.options.cluster, this.selection, this.times);
      throwIfAborted(signal);
      const { pods, version } = await api.list();
      for (const pod of this.cache.setAll(pods)) await this.checkDeletion(api, pod);
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
    // It is awaited below; an earlier abort must not be an unhandled rejection.
    pause.catch(() => undefined);
    const events = await api.watch(from);
    this.onWatching();
    for await (const event of events) {
      if (event.kind === 'set') this.cache.set(event.pod);
      if (event.kind === 'removed') await this.checkDeletion(api, event.pod);
      version = event.version;
    }
    this.failures = 0;
    await pause;
    return version;
  }

  /**
   * A pod leaves the selection when it is deleted, but also when its labels change while it runs. Only the API proves the
   * deletion: the name is free, or belongs to another pod.
   */
  private async checkDeletion(api: PodApi, pod: PodSnapshot): Promise<void> {
    const uid = await api.uidOf(pod.name);
    if (uid === pod.uid) this.cache.untrack(pod);
    else this.cache.remove(pod, uid !== null);
  }

  /** Half of the delay is random, so that the pods of a release do not retry at the same time. */
  private retryDelayMs({ kind }: RepotideError): number {
    const { firstRetryMs, maxRetryMs, refusedRetryMs } = this.times;
    const isRefused = kind === 'forbidden' || kind === 'invalid';
    const fullMs = isRefused ? refusedRetryMs : Math.min(maxRetryMs, firstRetryMs * 2 ** (this.failures - 1));
    return fullMs * (0.5 + Math.random() / 2);
  }

  private onWatching(): void {
    this.isWatching = true;
    this.reason = `watching the pods of namespace ${this.selection.namespace}`;
    if (this.loggedState !== 'watching')
      this.options.logger.info(
        this.logFields(),
        'pods are watched; runs of a lost pod are taken over at once',
      );
    this.loggedState = 'watching';
  }

  private onFailure({ kind, code, message }: RepotideError): void {
    const { logger } = this.options;
    const fields = { ...this.logFields(), error_code: code, error: message };
    // Single broken connections are normal: only a second failure in a row is logged as a warning.
    const isFirst = kind === 'temporary' && this.failures === 1 && this.isWatching;
    this.isWatching = false;
    this.reason = message;
    if (isFirst) return logger.debug(fields, 'pod watch broke; the pods are listed again');
    if (this.loggedState !== code)
      logger.warn(fields, 'pods cannot be watched; take-over uses heartbeats until they can');
    this.loggedState = code;
  }

  private logFields(): object {
    const { namespace, labelSelector } = this.selection;
    return { namespace, label_selector: labelSelector };
  }

  private notify(podName: string, end: PodEnd): void {
    const { logger } = this.options;
    logger.info({ ended_pod: podName, reason: end.reason, has_successor: end.hasSuccessor }, 'pod has ended');
    for (const listener of this.listeners) {
      try {
        listener(podName, end);
      } catch (thrown) {
        const { code, message } = toRepotideError(thrown);
        logger.error({ ended_pod: podName, error_code: code, error: message }, 'take-over failed to start');
      }
    }
  }
}
