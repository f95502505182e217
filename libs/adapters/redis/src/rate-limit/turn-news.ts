import { type Logger } from '@core/domain';
import { type RedisConnections } from '../connect-redis.js';
import { patient } from '../connection-options.js';
import { messageOf } from '../redis-error.js';
import { RedisServer } from '../redis-server.js';

/** Without it a subscriber whose server vanished would wait for keepalives: minutes instead of seconds. */
const PING_INTERVAL_MS = 10_000;

/** Hears whose turn has come, on a connection that is opened when somebody waits for the first time. */
export class TurnNews {
  onTurn: (ticketId: string) => void = () => undefined;
  private subscriber: RedisServer | null = null;
  private ping: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(
    private readonly redis: RedisConnections,
    private readonly channel: string,
    private readonly logger: Logger,
  ) {}

  listen(): void {
    if (this.subscriber || this.isClosed) return;
    const { urls, settings } = this.redis;
    const subscriber = new RedisServer(urls[0], patient(settings), 'limiter', this.logger);
    const ignore = (error: unknown): void =>
      this.logger.debug({ reason: messageOf(error) }, 'news of a turn lost');
    subscriber.client.on('message', (_channel: string, ticketId: string) => this.onTurn(ticketId));
    subscriber.client.subscribe(this.channel).catch(ignore);
    this.ping = setInterval(() => void subscriber.client.ping().catch(ignore), PING_INTERVAL_MS).unref();
    this.subscriber = subscriber;
  }

  close(): void {
    this.isClosed = true;
    if (this.ping) clearInterval(this.ping);
    this.subscriber?.close();
    this.subscriber = null;
  }
}
