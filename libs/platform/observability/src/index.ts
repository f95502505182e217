export { withLogContext } from './log-context.js';
export { createLogger, type Logger, type LoggerOptions } from './logger.js';
export { type LogSink, NestLoggerAdapter } from './nest-logger-adapter.js';
export { redactText, registerSecrets } from './redaction.js';
export { startTracing } from './start-tracing.js';
export { Tracing } from './tracing.js';
