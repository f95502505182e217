import { type Logger, type RepotideError } from '@core/domain';
import { Redis, type RedisOptions } from 'ioredis';
import { addressOf } from './address.js';
import { messageOf, unreachable } from './redis-error.js';

/** One connection that reconnects by itself, and what is known of its troubles. */
export class RedisServer {
  readonly client: Redis;
  readonly address: string;
  private lastTrouble: string | null = null;
  /** `asked`: whoever waits for the first connection is told, so the log need not be. */
  private state: 'new' | 'asked' | 'up' | 'down' | 'closed' = 'new';

  /** @param purpose for the log, e.g. `commands`. */
  constructor(
    url: string,
    options: RedisOptions,
    private readonly purpose: string,
    private readonly logger: Logger,
  ) {
    this.address = addressOf(url);
    this.client = new Redis(url, options);
    // Without a listener ioredis prints to the console.
    this.client.on('error', (error: Error) => (this.lastTrouble = messageOf(error)));
    this.client.on('close', () => this.noteDown());
    this.client.on('ready', () => this.noteUp());
  }

  /**
   * Proves that the server answers; for a client made with `lazyConnect`, which goes on trying when this fails.
   * @throws as {@link unreachable} says.
   */
  async connect(): Promise<void> {
    this.state = 'asked';
    try {
      await this.client.connect();
    } catch (error) {
      this.state = 'down';
      throw unreachable(this.address, this.lastTrouble ?? messageOf(error), error);
    }
  }

  /** Why a command failed, in words for people. */
  reasonOf(thrown: unknown): string {
    if (this.client.status === 'ready') return messageOf(thrown);
    return `not connected: ${this.lastTrouble ?? 'the connection was lost'}`;
  }

  translate(thrown: unknown): RepotideError {
    return unreachable(this.address, this.reasonOf(thrown), thrown);
  }

  close(): void {
    this.state = 'closed';
    disconnect(this.client);
  }

  private noteDown(): void {
    if (this.state !== 'new' && this.state !== 'up') return;
    this.state = 'down';
    const { address, purpose, lastTrouble } = this;
    const fields = { address, purpose, reason: lastTrouble ?? 'closed by the server' };
    this.logger.warn(fields, 'Redis connection lost; reconnecting');
  }

  private noteUp(): void {
    const { address, purpose } = this;
    if (this.state === 'down') this.logger.info({ address, purpose }, 'Redis connected');
    if (this.state !== 'closed') this.state = 'up';
    this.lastTrouble = null;
  }
}

/** Ends a connection that may have ended: doing so again would keep the process for ioredis's two seconds of patience. */
export function disconnect(client: Redis): void {
  if (client.status !== 'end') client.disconnect();
}
