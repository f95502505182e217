import { type Logger, RepotideError } from '@core/domain';
import { failFast, type ConnectionSettings } from './connection-options.js';
import { RedisServer } from './redis-server.js';
import { findWeaknesses } from './server-check.js';

export interface ConnectRedisOptions {
  /**
   * `redis://user:password@host:port/database`, `rediss://` for TLS. All servers hold leases, by majority; the first
   * also holds the queue, the leadership, hints, limits and progress.
   */
  urls: readonly string[];
  /** Prefix of every key. */
  keyPrefix: string;
  /** Shown by `CLIENT LIST`, e.g. the pod's name. */
  clientName?: string;
  /** `REDIS_TLS_DIR`: connections use TLS with its certificates. */
  tlsDir?: string | undefined;
  /** Timeout of a command. Default 5 s: a third of a lease's renewal interval. */
  commandTimeoutMs?: number;
  logger: Logger;
}

/** The servers of REDIS_URL. */
export class RedisConnections {
  constructor(
    readonly keyPrefix: string,
    readonly urls: readonly [string, ...string[]],
    readonly settings: ConnectionSettings,
    /** A fail-fast connection to each URL. */
    readonly servers: readonly [RedisServer, ...RedisServer[]],
    /** Findings of the start-up check; already logged. */
    readonly warnings: readonly string[],
  ) {}

  /** The server of everything but leases. */
  get primary(): RedisServer {
    return this.servers[0];
  }

  /** @throws temporary `redis_unreachable`. */
  async ping(): Promise<void> {
    try {
      await this.primary.client.ping();
    } catch (error) {
      throw this.primary.translate(error);
    }
  }

  /** Call it after closing everything that uses the connections. Repeating is harmless. */
  async close(): Promise<void> {
    for (const server of this.servers) server.close();
  }
}

/**
 * Connects to all servers, and logs warnings about settings that weaken leases and queue. The connections reconnect after
 * later outages. With several servers, a minority may be down, but not the first.
 * @throws temporary `redis_unreachable`, unauthorized `redis_credentials_rejected`, invalid `redis_url_invalid`, without
 *   passwords.
 */
export async function connectRedis(options: ConnectRedisOptions): Promise<RedisConnections> {
  const { keyPrefix, logger, clientName = 'repotide', tlsDir, commandTimeoutMs = 5_000 } = options;
  const [firstUrl, ...otherUrls] = options.urls;
  if (firstUrl === undefined) {
    const message = 'REDIS_URL contains no server. Expected e.g. redis://host:6379/0.';
    throw new RepotideError('invalid', 'redis_url_invalid', message);
  }
  const settings: ConnectionSettings = { commandTimeoutMs, clientName, tlsDir };
  const open = (url: string): RedisServer =>
    new RedisServer(url, { ...failFast(settings), lazyConnect: true }, 'commands', logger);
  const servers: [RedisServer, ...RedisServer[]] = [open(firstUrl), ...otherUrls.map(open)];
  const warnings = await connectMost(servers).catch((error: unknown) => {
    for (const server of servers) server.close();
    throw error;
  });
  for (const detail of warnings) logger.warn({ detail }, 'Redis is not configured for leases and a queue');
  return new RedisConnections(keyPrefix, [firstUrl, ...otherUrls], settings, servers, warnings);
}

async function connectMost(servers: readonly RedisServer[]): Promise<string[]> {
  const results = await Promise.allSettled(servers.map((server) => server.connect()));
  const failures = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ index, error: result.reason as RepotideError }] : [],
  );
  const isFatal = failures.length >= servers.length / 2 || failures.some(({ index }) => index === 0);
  if (failures[0] && isFatal) throw failures[0].error;
  const unreachable = failures.map(({ error }) => error.message);
  const reached = servers.filter((_, index) => results[index]?.status === 'fulfilled');
  const found = await Promise.all(reached.map(findWeaknesses));
  return [...unreachable, ...found.flat()];
}
