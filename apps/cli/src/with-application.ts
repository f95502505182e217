import { type INestApplicationContext } from '@nestjs/common';
import { RepotideError, throwIfAborted } from '@core/domain';
import { openContext, setUpProcess } from '../../server/src/index.js';

/**
 * Opens the application for one command and always closes it. Writes the log to standard error, from level `warn` unless
 * LOG_LEVEL is set, because standard output is for the command's result.
 * @param work gets a signal that fires on Ctrl-C or SIGTERM.
 */
export async function withApplication<T>(
  work: (context: INestApplicationContext, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // Before the embedded database server starts, because a killed process would leave it running.
  const signal = interruptSignal();
  const env = { LOG_LEVEL: 'warn', POD_NAME: `cli-${process.pid}`, ...process.env };
  const { config, logger } = setUpProcess(env, process.stderr);
  const context = await openContext(config, logger).catch((error: unknown) => {
    throw explain(error);
  });
  try {
    throwIfAborted(signal);
    return await work(context, signal);
  } finally {
    await context.close();
  }
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Adds a hint to `data_dir_in_use`: most likely the service is running on the data directory. */
function explain(error: unknown): unknown {
  if (!(error instanceof RepotideError) || error.code !== 'data_dir_in_use') return error;
  const { kind, code, message, details } = error;
  const hint = 'If the service is running on it, use its HTTP API: docs/api.md shows how.';
  return new RepotideError(kind, code, `${message} ${hint}`, { cause: error, details });
}

/** Fires on Ctrl-C or SIGTERM, so that a command stops cleanly. A second Ctrl-C or SIGTERM ends the process. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
