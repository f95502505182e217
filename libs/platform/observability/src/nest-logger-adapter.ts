import { type LoggerService } from '@nestjs/common';

/** The common part of the domain's logger and pino's. */
export interface LogSink {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Contexts in which Nest logs the set-up of the application: useful only to developers. */
const WIRING = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

/** Sends Nest's log lines to our logger. Nest passes a context, and for errors a stack, after the message. */
export class NestLoggerAdapter implements LoggerService {
  constructor(private readonly sink: LogSink) {}

  log(message: unknown, ...rest: unknown[]): void {
    const context = contextOf(rest);
    this.write(context !== undefined && WIRING.has(context) ? 'debug' : 'info', message, { context });
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, { context: contextOf(rest) });
  }

  error(message: unknown, ...rest: unknown[]): void {
    const isStack = typeof rest[0] === 'string' && /\n\s+at /.test(rest[0]);
    const stack = isStack ? rest[0] : undefined;
    this.write('error', message, { context: contextOf(isStack ? rest.slice(1) : rest), stack });
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.error(message, ...rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, { context: contextOf(rest) });
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.debug(message, ...rest);
  }

  private write(level: keyof LogSink, message: unknown, fields: object): void {
    if (message instanceof Error) this.sink[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'string') this.sink[level](fields, message);
    else this.sink[level]({ ...fields, details: message }, 'message from Nest');
  }
}

function contextOf(rest: unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' ? last : undefined;
}
