import { eventually } from '../eventually.js';
import { type KubernetesApi, type KubernetesObject } from '../kubernetes-api.js';
import { forwardPort } from '../port-forward.js';
import { COMPANION, COMPANION_PORT, companionManifests } from './manifests.js';

export interface LoadResult {
  requests: number;
  failures: string[];
}

const PLURALS: Record<string, string> = { ConfigMap: 'configmaps', Service: 'services', Pod: 'pods' };

/** The companion pod, as the test uses it. */
export class Companion {
  private constructor(
    private readonly url: string,
    private readonly token: string,
    readonly close: () => void,
  ) {}

  /** Starts the pod and waits until it is ready. */
  static async start(
    api: KubernetesApi,
    {
      namespace,
      image,
      serviceUrl,
      token,
    }: { namespace: string; image: string; serviceUrl: string; token: string },
  ): Promise<Companion> {
    const folder = `/api/v1/namespaces/${namespace}`;
    for (const each of await companionManifests(image, serviceUrl))
      await api.create(`${folder}/${PLURALS[each.kind ?? '']}`, each);
    await eventually(`pod ${COMPANION} is ready`, 180, async () => {
      const pod = await api.get<KubernetesObject & { status?: PodStatus }>(`${folder}/pods/${COMPANION}`);
      return (
        pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') || null
      );
    });
    const forwarded = await forwardPort(api.config, { namespace, pod: COMPANION, port: COMPANION_PORT });
    return new Companion(forwarded.url, token, () => forwarded.close());
  }

  static async remove(api: KubernetesApi, namespace: string): Promise<void> {
    for (const plural of Object.values(PLURALS))
      await api.delete(`/api/v1/namespaces/${namespace}/${plural}/${COMPANION}`);
  }

  /** Adds files to the git repository, in one commit. */
  commit(files: Record<string, string>): Promise<{ commit: string }> {
    return this.command('/commit', files);
  }

  /** Requests for branches and objects of the repository wait from now on. */
  hold(): Promise<unknown> {
    return this.command('/hold');
  }

  release(): Promise<unknown> {
    return this.command('/release');
  }

  /** Clients request a page of the API through the Service until {@link stopLoad}. */
  startLoad(): Promise<unknown> {
    return this.command('/load', {
      path: '/api/v1/repositories?limit=5',
      token: this.token,
      clients: 4,
      pauseMs: 50,
    });
  }

  stopLoad(): Promise<LoadResult> {
    return this.command('/load/stop');
  }

  /** Calls the service as an admin. @throws Error with status and body when the answer is no success. */
  async service<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.url}/service${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}` },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(40_000),
    });
    const content = await response.text();
    if (response.ok) return (content === '' ? null : JSON.parse(content)) as T;
    throw new Error(`${method} ${path} of the service: status ${response.status}, ${content.slice(0, 400)}`);
  }

  private async command<T>(path: string, body: object = {}): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    if (!response.ok)
      throw new Error(`companion ${path}: status ${response.status}, ${await response.text()}`);
    return (await response.json()) as T;
  }
}

interface PodStatus {
  conditions?: { type: string; status: string }[];
}
