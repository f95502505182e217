import { type LoggerService } from '@nestjs/common';

/** What the adapter needs; both the domain's logger and pino's have it. */
export interface LogSink {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where Nest tells, line by line, how it wires the application: news for its developers only. */
const WIRING = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

/** Leads what Nest logs into our logger. Nest puts a context, and for errors a stack, behind the message. */
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
    else this.sink[level]({ ...fields, details: message }, 'Message from Nest.');
  }
}

function contextOf(rest: unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' ? last : undefined;
}
