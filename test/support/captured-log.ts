import { type Logger } from '@core/domain';

export interface CapturedLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  /** The values passed to the logger: errors are not serialized. */
  fields: Record<string, unknown>;
}

/** For tests that check levels and fields of log lines. Child loggers write to the same list. */
export class CapturedLog implements Logger {
  constructor(
    readonly lines: CapturedLine[] = [],
    private readonly base: object = {},
  ) {}

  debug(fields: object, message: string): void {
    this.record('debug', fields, message);
  }
  info(fields: object, message: string): void {
    this.record('info', fields, message);
  }
  warn(fields: object, message: string): void {
    this.record('warn', fields, message);
  }
  error(fields: object, message: string): void {
    this.record('error', fields, message);
  }
  child(fields: object): Logger {
    return new CapturedLog(this.lines, { ...this.base, ...fields });
  }

  private record(level: CapturedLine['level'], fields: object, message: string): void {
    this.lines.push({ level, message, fields: { ...this.base, ...fields } });
  }
}
