import { Readable } from 'node:stream';
import { CoreV1Api, type KubernetesObject, Watch } from '@kubernetes/client-node';
import { RepotideError } from '@core/domain';
import { type Cluster } from './cluster.js';
import { failureOf, failureOfStatus, type PodRequest, statusOf } from './failure.js';
import { type PodSnapshot, snapshotOf } from './pod-snapshot.js';
import { ServiceAccountConfig } from './service-account-config.js';

export interface PodSelection {
  namespace: string;
  /** Empty: all pods of the namespace. */
  labelSelector: string;
  /** The service's own container in the pods. */
  containerName: string;
}

export interface ApiTimes {
  /** How long one watch lasts, in whole seconds. */
  watchSeconds: number;
  /** A connection that is silent for this much longer is dead. */
  graceMs: number;
  /** Timeout of connecting, of response headers, and of a whole list. */
  answerMs: number;
}

export type PodEvent =
  { kind: 'set' | 'removed'; pod: PodSnapshot; version: string } | { kind: 'bookmark'; version: string };

/** Requests about pods, over one connection pool. Throws only {@link RepotideError}. */
export class PodApi {
  private readonly core: CoreV1Api;
  private readonly watcher: Watch;

  private constructor(
    private readonly config: ServiceAccountConfig,
    private readonly cluster: Cluster,
    private readonly selection: PodSelection,
    private readonly times: ApiTimes,
  ) {
    this.core = config.makeApiClient(CoreV1Api);
    this.watcher = new Watch(config);
  }

  static async open(cluster: Cluster, selection: PodSelection, times: ApiTimes): Promise<PodApi> {
    const { answerMs, watchSeconds, graceMs } = times;
    try {
      const config = await ServiceAccountConfig.open(cluster, {
        connectMs: answerMs,
        headersMs: answerMs,
        bodyMs: watchSeconds * 1000 + graceMs,
      });
      return new PodApi(config, cluster, selection, times);
    } catch (thrown) {
      throw failureOf(thrown, { verb: 'list', server: cluster.server, namespace: selection.namespace });
    }
  }

  /** All pods. Without a version in the request, the server answers with the newest state. */
  list(): Promise<{ pods: PodSnapshot[]; version: string }> {
    const { namespace, labelSelector, containerName } = this.selection;
    return this.call('list', async () => {
      const list = await this.core.listNamespacedPod({
        namespace,
        labelSelector: labelSelector || undefined,
      });
      const pods = list.items.map((pod) => snapshotOf(pod, containerName));
      return { pods, version: list.metadata?.resourceVersion ?? '' };
    });
  }

  /** Uid of the pod of this name, with any labels; null: there is none. */
  uidOf(podName: string): Promise<string | null> {
    const { namespace } = this.selection;
    return this.call('get', async () => {
      try {
        const pod = await this.core.readNamespacedPod({ namespace, name: podName });
        return pod.metadata?.uid ?? null;
      } catch (thrown) {
        if (statusOf(thrown) === 404) return null;
        throw thrown;
      }
    });
  }

  /**
   * The events after `version`. Resolves when the server has accepted the watch; the events end after `watchSeconds`,
   * and throw when the connection breaks or is silent.
   */
  async watch(version: string): Promise<AsyncIterable<PodEvent>> {
    const { namespace, labelSelector } = this.selection;
    const raw = new Readable({ objectMode: true, read: () => undefined });
    // The iteration throws it too; without a listener it would end the process.
    raw.on('error', () => undefined);
    const started = await this.call('watch', async () => {
      const query = {
        labelSelector: labelSelector || undefined,
        resourceVersion: version,
        timeoutSeconds: this.times.watchSeconds,
        allowWatchBookmarks: true,
      };
      const watch = await this.watcher.watch(
        `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`,
        query,
        (type, object: unknown) => raw.push({ type, object }),
        (thrown) => (thrown ? raw.destroy(thrown as Error) : raw.push(null)),
      );
      if (raw.errored) throw raw.errored;
      return watch;
    });
    raw.once('close', () => started.abort());
    return this.eventsOf(raw);
  }

  /** Requests in flight fail. Repeating is harmless. */
  close(): Promise<void> {
    return this.config.close();
  }

  private async *eventsOf(raw: Readable): AsyncGenerator<PodEvent> {
    const request = this.requestOf('watch');
    try {
      for await (const { type, object } of raw as AsyncIterable<{ type: string; object: KubernetesObject }>) {
        if (type === 'ERROR') throw failureOfStatus(statusOf(object) ?? 500, request);
        const version = object.metadata?.resourceVersion ?? '';
        if (type === 'BOOKMARK') {
          yield { kind: 'bookmark', version };
        } else {
          const pod = snapshotOf(object, this.selection.containerName);
          yield { kind: type === 'DELETED' ? 'removed' : 'set', pod, version };
        }
      }
    } catch (thrown) {
      throw failureOf(thrown, request);
    }
  }

  /** The pool limits silence; this limits a slowly sent response. */
  private async call<T>(verb: PodRequest['verb'], work: () => Promise<T>): Promise<T> {
    const request = this.requestOf(verb);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(timeoutFailure(request, this.times.answerMs)), this.times.answerMs);
    });
    try {
      return await Promise.race([work(), timeout]);
    } catch (thrown) {
      throw failureOf(thrown, request);
    } finally {
      clearTimeout(timer);
    }
  }

  private requestOf(verb: PodRequest['verb']): PodRequest {
    return { verb, server: this.cluster.server, namespace: this.selection.namespace };
  }
}

function timeoutFailure({ verb, server }: PodRequest, limitMs: number): RepotideError {
  const message = `Kubernetes at ${server} did not finish its response to "${verb} pods" within ${limitMs} ms.`;
  return new RepotideError('temporary', 'kubernetes_unavailable', message, { details: { verb } });
}
