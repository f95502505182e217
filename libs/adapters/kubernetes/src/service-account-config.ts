import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig, type RequestContext } from '@kubernetes/client-node';
import { Agent } from 'undici';
import { type Cluster } from './cluster.js';

/** Timeouts of a connection in milliseconds. */
export interface SilenceLimits {
  connectMs: number;
  headersMs: number;
  bodyMs: number;
}

/**
 * The client's configuration with one connection pool, and with the token read before each request. (The client itself
 * makes a pool for every request and never closes it, has no timeouts, and caches the token for a minute.)
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

  /** @throws when the certificate cannot be read. */
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

  /** Closes all connections; requests in flight fail. Repeating is harmless. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
