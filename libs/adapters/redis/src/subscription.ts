import { messageOf, type Logger } from '@core/domain';
import { type RedisConnections } from './connect-redis.js';
import { waitForConnection } from './connection-options.js';
import { RedisServer } from './redis-server.js';

/** Without pings, a subscriber would notice a lost server only after minutes, by TCP keepalives. */
const PING_INTERVAL_MS = 10_000;

/** Listens to a pub/sub channel. Reconnects after outages; messages sent meanwhile are lost. */
export class Subscription {
  private server: RedisServer | null = null;
  private ping: NodeJS.Timeout | undefined;

  /** @param purpose names the connection in the log. */
  constructor(
    private readonly redis: RedisConnections,
    private readonly channel: string,
    private readonly purpose: string,
    private readonly logger: Logger,
    private readonly onMessage: (text: string) => void,
  ) {}

  /** Repeating is harmless. */
  open(): void {
    if (this.server !== null) return;
    const { urls, settings } = this.redis;
    this.server = new RedisServer(urls[0], waitForConnection(settings), this.purpose, this.logger);
    const { client } = this.server;
    const ignore = (error: unknown): void =>
      this.logger.debug({ channel: this.channel, reason: messageOf(error) }, 'Redis subscription failed');
    client.on('message', (_channel: string, text: string) => this.onMessage(text));
    client.subscribe(this.channel).catch(ignore);
    this.ping = setInterval(() => void client.ping().catch(ignore), PING_INTERVAL_MS).unref();
  }

  /** Repeating is harmless. */
  close(): void {
    clearInterval(this.ping);
    this.server?.close();
    this.server = null;
  }
}
