import { messageOf, type Logger, type RepotideError } from '@core/domain';
import { Redis, type RedisOptions } from 'ioredis';
import { tlsOptions } from '@platform/tls';
import { addressOf, sentinelOptions } from './address.js';
import { type ServerOptions } from './connection-options.js';
import { unreachable } from './redis-error.js';

/** A connection that reconnects automatically, logs outages, and stores its last error. */
export class RedisServer {
  readonly client: Redis;
  readonly address: string;
  readonly usesTls: boolean;
  private lastError: string | null = null;
  /** `connecting`: the caller of `connect` gets the error, so it is not logged. */
  private state: 'new' | 'connecting' | 'up' | 'down' | 'closed' = 'new';

  /** @param purpose for the log, e.g. `commands`. */
  constructor(
    url: string,
    { tlsDir, ...options }: ServerOptions,
    private readonly purpose: string,
    private readonly logger: Logger,
  ) {
    this.address = addressOf(url);
    this.usesTls = url.startsWith('rediss');
    const sentinels = sentinelOptions(url);
    const tls = tlsDir === undefined ? {} : this.tlsWith(tlsDir);
    this.client = sentinels
      ? new Redis({ ...options, ...sentinels, ...tls })
      : new Redis(url, { ...options, ...tls });
    // Without a listener ioredis prints to the console.
    this.client.on('error', (error: Error) => (this.lastError = messageOf(error)));
    this.client.on('close', () => this.onDown());
    this.client.on('ready', () => this.onUp());
  }

  /**
   * For a client made with `lazyConnect`; the client keeps trying when this fails.
   * @throws as {@link unreachable}.
   */
  async connect(): Promise<void> {
    this.state = 'connecting';
    try {
      await this.client.connect();
    } catch (error) {
      this.state = 'down';
      throw unreachable(this, this.lastError ?? messageOf(error), error);
    }
  }

  /** The reason of a failed command, for logs and error messages. */
  reasonOf(thrown: unknown): string {
    if (this.client.status === 'ready') return messageOf(thrown);
    return `not connected: ${this.lastError ?? 'the connection was lost'}`;
  }

  translate(thrown: unknown): RepotideError {
    return unreachable(this, this.reasonOf(thrown), thrown);
  }

  close(): void {
    this.state = 'closed';
    disconnect(this.client);
  }

  private tlsWith(tlsDir: string): RedisOptions {
    const warn = (detail: string) => this.logger.warn({ detail }, 'certificates of REDIS_TLS_DIR');
    const tls = tlsOptions(tlsDir, warn);
    return { tls, sentinelTLS: tls };
  }

  private onDown(): void {
    if (this.state !== 'new' && this.state !== 'up') return;
    this.state = 'down';
    const { address, purpose, lastError } = this;
    const fields = { address, purpose, reason: lastError ?? 'closed by the server' };
    this.logger.warn(fields, 'Redis connection lost; reconnecting');
  }

  private onUp(): void {
    const { address, purpose } = this;
    if (this.state === 'down') this.logger.info({ address, purpose }, 'Redis connected');
    if (this.state !== 'closed') this.state = 'up';
    this.lastError = null;
  }
}

/** Safe to repeat. A second call of ioredis's `disconnect` would keep the process running for two seconds. */
export function disconnect(client: Redis): void {
  if (client.status !== 'end') client.disconnect();
}
