import { type Logger } from '@core/domain';

/** For tests that do not check logs. */
export const silentLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: (): Logger => silentLogger,
} satisfies Logger;
