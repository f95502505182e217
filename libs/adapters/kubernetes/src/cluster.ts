import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { KubeConfig, type RequestContext } from '@kubernetes/client-node';
import { Agent } from 'undici';

/** Where a container finds the API of its cluster, and what proves to it who it is. */
export interface Cluster {
  /** https, without a trailing slash. */
  server: string;
  /** Holds `token` and `ca.crt`; the kubelet renews both while the pod runs. */
  serviceAccountDir: string;
}

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The cluster that this process runs in, by what Kubernetes gives to every container; null outside of one.
 * `KUBERNETES_SERVICE_ACCOUNT_DIR` names another directory than the usual one.
 */
export function findCluster(env: Readonly<Record<string, string | undefined>>): Cluster | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return null;
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    serviceAccountDir: env.KUBERNETES_SERVICE_ACCOUNT_DIR || SERVICE_ACCOUNT_DIR,
  };
}

/** How long a connection may keep silent, in milliseconds. */
export interface SilenceLimits {
  connectMs: number;
  headersMs: number;
  bodyMs: number;
}

/**
 * The client's configuration on a pool of connections of its own, with the token of this very moment. (Its own way
 * makes a pool for every request, ends none, bounds no silence, and keeps a token for a minute.)
 */
export class ServiceAccountConfig extends KubeConfig {
  private constructor(
    private readonly tokenFile: string,
    private readonly pool: Agent,
    server: string,
  ) {
    super();
    this.loadFromClusterAndUser({ name: 'cluster', server, skipTLSVerify: false }, { name: 'account' });
  }

  /** @throws what reading the authority's certificate throws. */
  static async open(cluster: Cluster, limits: SilenceLimits): Promise<ServiceAccountConfig> {
    const ca = await readFile(join(cluster.serviceAccountDir, 'ca.crt'), 'utf8');
    const pool = new Agent({
      connect: { ca, timeout: limits.connectMs },
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.bodyMs,
    });
    return new ServiceAccountConfig(join(cluster.serviceAccountDir, 'token'), pool, cluster.server);
  }

  override async applySecurityAuthentication(request: RequestContext): Promise<void> {
    const token = (await readFile(this.tokenFile, 'utf8')).trim();
    request.setHeaderParam('Authorization', `Bearer ${token}`);
    request.setDispatcher(this.pool);
  }

  /** Breaks all connections; requests in work fail. Repeating is harmless. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
