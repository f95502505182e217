import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig, type RequestContext } from '@kubernetes/client-node';
import { Agent } from 'undici';
import { type Cluster } from './cluster.js';

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
