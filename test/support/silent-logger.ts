import { type Logger } from '@core/domain';

/** For tests that look at results, not at logs. */
export const silentLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: (): Logger => silentLogger,
} satisfies Logger;
