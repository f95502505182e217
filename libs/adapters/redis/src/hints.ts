import { type Hint, type Hints, type Logger } from '@core/domain';
import { patient } from './connection-options.js';
import { type RedisConnections } from './connect-redis.js';
import { hintChannel } from './keys.js';
import { messageOf } from './redis-error.js';
import { RedisServer } from './redis-server.js';

export interface RedisHints extends Hints {
  close(): Promise<void>;
}

/** Without it a subscriber whose server vanished would wait for keepalives: minutes instead of seconds. */
const PING_INTERVAL_MS = 10_000;

/** Pub/sub between pods, on a connection of its own that comes back after outages; what is said meanwhile is lost. */
export function createRedisHints(options: { redis: RedisConnections; logger: Logger }): RedisHints {
  const { redis, logger } = options;
  const channel = hintChannel(redis.keyPrefix);
  const listeners = new Set<(hint: Hint) => void>();
  const subscriber = new RedisServer(redis.urls[0], patient(redis.settings), 'hints', logger);
  subscriber.client.on('message', (_channel: string, text: string) => {
    const hint = parseHint(text);
    if (hint) for (const listener of listeners) listener(hint);
  });
  const ignore = (error: unknown): void => logger.debug({ reason: messageOf(error) }, 'hint lost');
  subscriber.client.subscribe(channel).catch(ignore);
  const ping = setInterval(() => void subscriber.client.ping().catch(ignore), PING_INTERVAL_MS).unref();
  return {
    publish(hint) {
      redis.primary.client.publish(channel, JSON.stringify(hint)).catch(ignore);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      clearInterval(ping);
      subscriber.close();
    },
  };
}

/** Null for what another version of this program may say. */
function parseHint(text: string): Hint | null {
  try {
    const { kind, executionId } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (kind === 'schedules_changed') return { kind };
    return kind === 'cancel_requested' && typeof executionId === 'string' ? { kind, executionId } : null;
  } catch {
    return null;
  }
}
