import { type Hint, type Hints, type Logger } from '@core/domain';
import { type RedisConnections } from './connect-redis.js';
import { hintChannel } from './keys.js';
import { Subscription } from './subscription.js';

export interface RedisHints extends Hints {
  close(): Promise<void>;
}

/** Hints between pods by pub/sub. */
export function createRedisHints({ redis, logger }: { redis: RedisConnections; logger: Logger }): RedisHints {
  const { primary, keyPrefix } = redis;
  const channel = hintChannel(keyPrefix);
  const listeners = new Set<(hint: Hint) => void>();
  const subscription = new Subscription(redis, channel, 'hints', logger, (text) => {
    const hint = parseHint(text);
    if (hint) for (const listener of listeners) listener(hint);
  });
  subscription.open();
  return {
    publish(hint) {
      primary.client
        .publish(channel, JSON.stringify(hint))
        .catch((error: unknown) => logger.debug({ reason: primary.reasonOf(error) }, 'hint was lost'));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      subscription.close();
    },
  };
}

/** Null for messages of another version of this program. */
function parseHint(text: string): Hint | null {
  try {
    const { kind, executionId } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (kind === 'schedules_changed') return { kind };
    return kind === 'cancel_requested' && typeof executionId === 'string' ? { kind, executionId } : null;
  } catch {
    return null;
  }
}
