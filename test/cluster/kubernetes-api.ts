import { request, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';

/** The part of an object that the test reads. */
export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
  };
  [part: string]: unknown;
}

export class KubernetesError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** Requests to the API server that KUBECONFIG names, with its user. */
export class KubernetesApi {
  private constructor(readonly config: KubeConfig) {}

  /** @throws Error when KUBECONFIG is not set, or names no cluster. */
  static open(): KubernetesApi {
    const { KUBECONFIG: files } = process.env;
    if (!files) throw new Error('KUBECONFIG is not set. Expected: the path of a configuration of kubectl.');
    const config = new KubeConfig();
    config.loadFromDefault();
    if (config.getCurrentCluster() === null)
      throw new Error(
        `KUBECONFIG (${files}) has no current context. Choose one by kubectl config use-context.`,
      );
    return new KubernetesApi(config);
  }

  get server(): string {
    return this.config.getCurrentCluster()?.server ?? '';
  }

  get<T = KubernetesObject>(path: string): Promise<T> {
    return this.call<T>('GET', path);
  }

  async list<T = KubernetesObject>(path: string): Promise<T[]> {
    return (await this.get<{ items: T[] }>(path)).items;
  }

  /** @returns null when there is no such object. */
  find<T = KubernetesObject>(path: string): Promise<T | null> {
    return this.get<T>(path).catch(unlessMissing);
  }

  create(path: string, body: object): Promise<KubernetesObject> {
    return this.call('POST', path, body);
  }

  /** Log of a pod's first container. */
  async log(namespace: string, pod: string, lines: number): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log?tailLines=${lines}`;
    return (await this.send('GET', path)).content;
  }

  /** A strategic merge of these fields. */
  patch(path: string, body: object): Promise<KubernetesObject> {
    return this.call('PATCH', path, body);
  }

  /** Repeating is harmless. @param graceSeconds null: the object's own. */
  async delete(path: string, graceSeconds: number | null = null): Promise<void> {
    const body = {
      propagationPolicy: 'Background',
      ...(graceSeconds !== null && { gracePeriodSeconds: graceSeconds }),
    };
    await this.call('DELETE', path, body).catch(unlessMissing);
  }

  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    const { status, content } = await this.send(method, path, body);
    if (status < 300) return JSON.parse(content) as T;
    throw new KubernetesError(`${method} ${path}: status ${status}, ${reasonOf(content)}`, status);
  }

  private async send(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; content: string }> {
    const options: RequestOptions = { method, headers: { accept: 'application/json' }, timeout: 30_000 };
    await this.config.applyToHTTPSOptions(options);
    const content = body && JSON.stringify(body);
    if (content !== undefined) {
      const type = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
      // Node.js sends the body of a DELETE only with its length.
      const length = Buffer.byteLength(content);
      options.headers = { ...options.headers, 'content-type': type, 'content-length': length };
    }
    return exchange(new URL(`${this.server}${path}`), options, content);
  }
}

function exchange(
  url: URL,
  options: RequestOptions,
  body?: string,
): Promise<{ status: number; content: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, content }), reject);
    });
    sent.once('timeout', () => sent.destroy(new Error(`${url.origin} did not answer within 30 s.`)));
    sent.once('error', reject);
    sent.end(body);
  });
}

function reasonOf(content: string): string {
  try {
    return (JSON.parse(content) as { message: string }).message;
  } catch {
    return content.slice(0, 200);
  }
}

function unlessMissing(error: unknown): null {
  if (error instanceof KubernetesError && error.status === 404) return null;
  throw error;
}
