import { randomBytes } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultSet } from '../http/faults.js';
import { type RequestRecord, startStandInServer } from '../http/stand-in-server.js';
import { createSelfSigned } from './certificate.js';
import { type PodSetting } from './pod-object.js';
import { PodRegistry } from './pod-registry.js';
import { PodsEndpoint, type PodsEndpointSettings, type PodVerb } from './pods-endpoint.js';
import { plainStatus } from './status.js';

export interface KubernetesStandInOptions {
  /** Default: a free port. */
  port?: number;
  /** The one namespace in which the service account may read pods. Default `repotide`. */
  namespace?: string;
}

/** The API of a Kubernetes cluster, with the pods of one namespace. */
export interface KubernetesStandIn {
  readonly url: string;
  readonly namespace: string;
  /** The environment of a container, for a process that should detect this cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** Oldest first. */
  readonly requests: readonly RequestRecord[];
  readonly faults: FaultSet;
  readonly settings: PodsEndpointSettings;
  /** Creates a running pod with the label `app.kubernetes.io/instance=repotide`, or changes the given fields of a pod. */
  setPod(name: string, setting?: PodSetting): void;
  /** Removes the object at once, as after the grace period or a forced deletion. */
  deletePod(name: string): void;
  /** The container ends and a new one starts in the same pod. */
  restartContainer(name: string): void;
  /** Revokes verbs on pods from the service account. Default: all. Open watches stay open, as in Kubernetes. */
  forbid(...verbs: PodVerb[]): void;
  allow(): void;
  /** Writes a new token and from now on accepts no other. */
  rotateToken(): Promise<void>;
  /** Deletes history: a watch from an older version gets 410. */
  compact(): void;
  watchCount(): number;
  /** Breaks the connections of all watches. */
  cutWatches(): void;
  /** All open watches keep their connection and send nothing more. */
  silenceWatches(): void;
  /** Repeating is harmless. */
  stop(): Promise<void>;
}

const ALL_VERBS: readonly PodVerb[] = ['get', 'list', 'watch'];

/**
 * Serves get, list and watch of pods over HTTPS, with the directory of a service account. Versions, bookmarks, label
 * selectors, expired history and `Status` errors behave as in Kubernetes.
 */
export async function startKubernetesStandIn(
  options: KubernetesStandInOptions = {},
): Promise<KubernetesStandIn> {
  const namespace = options.namespace ?? 'repotide';
  const faults = new FaultSet();
  const requests: RequestRecord[] = [];
  const settings: PodsEndpointSettings = { bookmarkEveryMs: 60_000 };
  const account = await ServiceAccount.create(namespace);
  const registry = new PodRegistry(namespace);
  const endpoint = new PodsEndpoint(registry, settings, (headers) => account.check(headers.authorization));
  const server = await startStandInServer(
    {
      faults,
      record: (record) => requests.push(record),
      tokenSeen: (headers) => account.check(headers.authorization),
      answer: async (request) => endpoint.answer(request),
      errorAnswer: plainStatus,
    },
    options.port ?? 0,
    account.tls,
  );
  const { hostname, port } = new URL(server.url);
  return {
    url: server.url,
    namespace,
    env: {
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      KUBERNETES_SERVICE_ACCOUNT_DIR: account.dir,
      POD_NAMESPACE: namespace,
    },
    requests,
    faults,
    settings,
    setPod: (name, setting = {}) => registry.set(name, setting),
    deletePod: (name) => registry.delete(name),
    restartContainer: (name) => registry.restart(name),
    forbid: (...verbs) =>
      (verbs.length > 0 ? verbs : ALL_VERBS).forEach((verb) => endpoint.forbidden.add(verb)),
    allow: () => endpoint.forbidden.clear(),
    rotateToken: () => account.rotate(),
    compact: () => registry.compact(),
    watchCount: () => endpoint.watches.size,
    cutWatches: () => endpoint.watches.forEach((watch) => watch.cut()),
    silenceWatches: () => endpoint.watches.forEach((watch) => watch.silence()),
    stop: async () => {
      await server.stop();
      await account.remove();
    },
  };
}

/** The directory that a kubelet would mount, and the valid token. */
class ServiceAccount {
  readonly tls = createSelfSigned();
  private token = '';

  private constructor(readonly dir: string) {}

  static async create(namespace: string): Promise<ServiceAccount> {
    const account = new ServiceAccount(await mkdtemp(join(tmpdir(), 'repotide-kubernetes-')));
    await writeFile(join(account.dir, 'ca.crt'), account.tls.cert);
    await writeFile(join(account.dir, 'namespace'), namespace);
    await account.rotate();
    return account;
  }

  /** Replaces the file atomically, as a kubelet does, before the old token becomes invalid. */
  async rotate(): Promise<void> {
    const token = randomBytes(24).toString('base64url');
    const file = join(this.dir, 'token');
    await writeFile(`${file}.new`, token, { mode: 0o600 });
    await rename(`${file}.new`, file);
    this.token = token;
  }

  check(authorization: string | undefined): 'accepted' | 'rejected' | 'absent' {
    const presented = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (presented === undefined) return 'absent';
    return presented === this.token ? 'accepted' : 'rejected';
  }

  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
  }
}
