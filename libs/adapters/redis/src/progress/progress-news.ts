import { type Logger } from '@core/domain';
import { type RedisConnections } from '../connect-redis.js';
import { patient } from '../connection-options.js';
import { messageOf } from '../redis-error.js';
import { RedisServer } from '../redis-server.js';

/** News may be lost with the connection; asking this often bounds how late a listener hears of them. */
const POLL_MS = 2_000;

/**
 * Tells listeners that a task may have changed: by pub/sub on a connection that exists only while somebody listens,
 * and by a slow poll in case news were lost.
 */
export class ProgressNews {
  private readonly listeners = new Map<string, Set<() => void>>();
  private subscriber: RedisServer | null = null;
  private poll: NodeJS.Timeout | null = null;

  constructor(
    private readonly redis: RedisConnections,
    private readonly channel: string,
    private readonly logger: Logger,
  ) {}

  subscribe(taskId: string, onNews: () => void): () => void {
    const listeners = this.listeners.get(taskId) ?? new Set();
    listeners.add(onNews);
    this.listeners.set(taskId, listeners);
    this.open();
    return () => {
      listeners.delete(onNews);
      if (listeners.size === 0) this.listeners.delete(taskId);
      if (this.listeners.size === 0) this.close();
    };
  }

  close(): void {
    if (this.poll) clearInterval(this.poll);
    this.poll = null;
    this.subscriber?.close();
    this.subscriber = null;
  }

  private open(): void {
    if (this.subscriber) return;
    const { urls, settings } = this.redis;
    const subscriber = new RedisServer(urls[0], patient(settings), 'progress', this.logger);
    subscriber.client.on('message', (_channel: string, taskId: string) => this.tell(taskId));
    const ignore = (error: unknown): void =>
      this.logger.debug({ reason: messageOf(error) }, 'progress news lost');
    subscriber.client.subscribe(this.channel).catch(ignore);
    this.subscriber = subscriber;
    this.poll = setInterval(() => {
      void subscriber.client.ping().catch(ignore);
      for (const taskId of this.listeners.keys()) this.tell(taskId);
    }, POLL_MS).unref();
  }

  private tell(taskId: string): void {
    for (const listener of this.listeners.get(taskId) ?? []) listener();
  }
}
