import { Readable } from 'node:stream';
import { CoreV1Api, type KubernetesObject, Watch } from '@kubernetes/client-node';
import { RepotideError } from '@core/domain';
import { type Cluster } from './cluster.js';
import { failureOf, failureOfStatus, type PodQuestion, statusOf } from './failure.js';
import { type PodSighting, sightingOf } from './pod-sighting.js';
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
  /** How much longer than that a connection may keep silent before it counts as broken. */
  graceMs: number;
  /** For connecting, for the beginning of an answer, and for the whole of a list. */
  answerMs: number;
}

export type PodEvent =
  | { kind: 'seen' | 'left'; pod: PodSighting; version: string }
  /** Nothing happened up to this version. */
  | { kind: 'bookmark'; version: string };

/** The questions about pods, over one set of connections. Everything it throws is a {@link RepotideError}. */
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
        // The server ends a watch after `watchSeconds`, so longer silence is a dead connection.
        bodyMs: watchSeconds * 1000 + graceMs,
      });
      return new PodApi(config, cluster, selection, times);
    } catch (thrown) {
      throw failureOf(thrown, { verb: 'list', server: cluster.server, namespace: selection.namespace });
    }
  }

  /** All pods there are. No version is asked for, which makes the server answer with the newest state. */
  list(): Promise<{ pods: PodSighting[]; version: string }> {
    const { namespace, labelSelector, containerName } = this.selection;
    return this.ask('list', async () => {
      const list = await this.core.listNamespacedPod({
        namespace,
        labelSelector: labelSelector || undefined,
      });
      const pods = list.items.map((pod) => sightingOf(pod, containerName));
      return { pods, version: list.metadata?.resourceVersion ?? '' };
    });
  }

  /** Uid of the pod that has this name at this moment, whatever its labels; null when there is none. */
  uidOf(podName: string): Promise<string | null> {
    const { namespace } = this.selection;
    return this.ask('get', async () => {
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
   * What happened after `version`, for `watchSeconds`. Resolves once the server has agreed to tell; the events end
   * when its time is over, and throw when the connection breaks or keeps silent.
   */
  async watch(version: string): Promise<AsyncIterable<PodEvent>> {
    const { namespace, labelSelector } = this.selection;
    const raw = new Readable({ objectMode: true, read: () => undefined });
    // Whoever iterates hears of it too; without a listener it would end the process.
    raw.on('error', () => undefined);
    const request = await this.ask('watch', async () => {
      const query = {
        labelSelector: labelSelector || undefined,
        resourceVersion: version,
        timeoutSeconds: this.times.watchSeconds,
        allowWatchBookmarks: true,
      };
      const started = await this.watcher.watch(
        `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`,
        query,
        (type, object: unknown) => raw.push({ type, object }),
        (thrown) => (thrown ? raw.destroy(thrown as Error) : raw.push(null)),
      );
      if (raw.errored) throw raw.errored;
      return started;
    });
    raw.once('close', () => request.abort());
    return this.eventsOf(raw);
  }

  /** Fails whatever is still asked. Repeating is harmless. */
  close(): Promise<void> {
    return this.config.close();
  }

  private async *eventsOf(raw: Readable): AsyncGenerator<PodEvent> {
    const question = this.questionOf('watch');
    try {
      for await (const { type, object } of raw as AsyncIterable<{ type: string; object: KubernetesObject }>) {
        if (type === 'ERROR') throw failureOfStatus(statusOf(object) ?? 500, question);
        const version = object.metadata?.resourceVersion ?? '';
        if (type === 'BOOKMARK') {
          yield { kind: 'bookmark', version };
        } else {
          const pod = sightingOf(object, this.selection.containerName);
          yield { kind: type === 'DELETED' ? 'left' : 'seen', pod, version };
        }
      }
    } catch (thrown) {
      throw failureOf(thrown, question);
    }
  }

  /** The pool bounds silence; this bounds an answer that trickles. */
  private async ask<T>(verb: PodQuestion['verb'], work: () => Promise<T>): Promise<T> {
    const question = this.questionOf(verb);
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlowFailure(question, this.times.answerMs)), this.times.answerMs);
    });
    try {
      return await Promise.race([work(), tooSlow]);
    } catch (thrown) {
      throw failureOf(thrown, question);
    } finally {
      clearTimeout(timer);
    }
  }

  private questionOf(verb: PodQuestion['verb']): PodQuestion {
    return { verb, server: this.cluster.server, namespace: this.selection.namespace };
  }
}

function tooSlowFailure({ verb, server }: PodQuestion, limitMs: number): RepotideError {
  const message = `Kubernetes at ${server} did not finish its answer to "${verb} pods" within ${limitMs} ms.`;
  return new RepotideError('temporary', 'kubernetes_unavailable', message, { details: { verb } });
}
