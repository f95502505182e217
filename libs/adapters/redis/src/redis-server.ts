import { type Logger, type RepotideError } from '@core/domain';
import { Redis, type RedisOptions } from 'ioredis';
import { addressOf } from './address.js';
import { messageOf, unreachable } from './redis-error.js';

/** One connection that reconnects by itself, and what is known of its troubles. */
export class RedisServer {
  readonly client: Redis;
  readonly address: string;
  private lastTrouble: string | null = null;
  private isDown = false;
  private isClosing = false;

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
    this.isDown = true; // The caller hears of it, so the log need not.
    try {
      await this.client.connect();
    } catch (error) {
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
    this.isClosing = true;
    disconnect(this.client);
  }

  private noteDown(): void {
    if (this.isDown || this.isClosing) return;
    this.isDown = true;
    const fields = {
      address: this.address,
      purpose: this.purpose,
      reason: this.lastTrouble ?? 'closed by the server',
    };
    this.logger.warn(fields, 'Redis connection lost; reconnecting');
  }

  private noteUp(): void {
    if (this.isDown) this.logger.info({ address: this.address, purpose: this.purpose }, 'Redis connected');
    this.isDown = false;
    this.lastTrouble = null;
  }
}

/** Ends a connection that may have ended: doing so again would keep the process for ioredis's two seconds of patience. */
export function disconnect(client: Redis): void {
  if (client.status !== 'end') client.disconnect();
}
