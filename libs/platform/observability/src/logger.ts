import {
  type DestinationStream,
  destination,
  type Logger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from 'pino';
import { PinoPretty, type PrettyOptions } from 'pino-pretty';
import { currentLogContext } from './log-context.js';
import { redactLine } from './redaction.js';

export type { Logger };

export interface LoggerOptions {
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** One JSON object per line, or human-readable lines. */
  format: 'json' | 'pretty';
  /** Fields of every line, such as the pod's name. */
  base?: object;
  /** Default: standard output. */
  destination?: NodeJS.WritableStream;
}

/**
 * Makes the process's logger. It has the shape of the domain's `Logger`: fixed message plus fields. Lines are written
 * before the call returns, so that none is lost at exit. Hides secrets: values of keys such as `api_key`, and values
 * passed to `registerSecrets`. An error belongs in the field `err` or `error`.
 */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: options.base ?? {},
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
      mixin: currentLogContext,
      hooks: { streamWrite: redactLine },
    },
    options.format === 'pretty' ? prettyStream(options.destination) : jsonStream(options.destination),
  );
}

function jsonStream(stream: NodeJS.WritableStream | undefined): DestinationStream {
  return stream ?? destination({ dest: 1, sync: true });
}

function prettyStream(stream: NodeJS.WritableStream | undefined): DestinationStream {
  const target = stream ?? process.stdout;
  const options: PrettyOptions = {
    colorize: 'isTTY' in target && target.isTTY === true,
    destination: target,
    singleLine: true,
    sync: true,
    translateTime: 'SYS:HH:MM:ss.l',
  };
  return PinoPretty(options);
}
