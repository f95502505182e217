import { type Logger } from '@core/domain';

export interface RecordingLogger extends Logger {
  /** Records every log call, fields and message as one JSON line each. */
  readonly lines: string[];
}

export function recordingLogger(): RecordingLogger {
  const lines: string[] = [];
  const record = (fields: object, message: string): void => {
    lines.push(JSON.stringify({ ...fields, message }));
  };
  const logger: RecordingLogger = {
    lines,
    debug: record,
    info: record,
    warn: record,
    error: record,
    child: () => logger,
  };
  return logger;
}
