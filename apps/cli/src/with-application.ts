import { type INestApplicationContext } from '@nestjs/common';
import { findRunningServer } from '@adapters/postgres';
import { RepotideError, throwIfAborted, type Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { registerSecrets } from '@platform/observability';
import { openContext, setUpProcess } from '../../server/src/index.js';

/**
 * Opens the application for one command, also beside a running service, and always closes it. Writes the log to standard
 * error, from level `warn` unless LOG_LEVEL is set, because standard output is for the command's result.
 * @param work gets a signal that fires on Ctrl-C or SIGTERM.
 */
export async function withApplication<T>(
  work: (context: INestApplicationContext, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // Before the embedded database server starts, because a killed process would leave it running.
  const signal = interruptSignal();
  const env = { LOG_LEVEL: 'warn', POD_NAME: `cli-${process.pid}`, ...process.env };
  const { config, logger } = setUpProcess(env, process.stderr);
  const context = await openContext(config, logger).catch((error: unknown) =>
    openBesideService(config, logger, error),
  );
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

/** Contexts that share the embedded database of a running service. */
const besideService = new WeakSet<INestApplicationContext>();

/** Whether a running service owns the data, so that it must do the runs: their leases are in its memory. */
export function isBesideService(context: INestApplicationContext): boolean {
  return besideService.has(context);
}

/**
 * Opens the application on the embedded database of the service that runs on the data directory. The password file is the
 * permission: only the user of the service can read it.
 * @throws the former error when that is not the reason, or when the service is on another host.
 */
async function openBesideService(
  config: Config,
  logger: Logger,
  error: unknown,
): Promise<INestApplicationContext> {
  if (!(error instanceof RepotideError) || error.code !== 'data_dir_in_use') throw error;
  const url = await findRunningServer(config.dataDir);
  if (url === null) throw error;
  registerSecrets([url, new URL(url).password]);
  const context = await openContext({ ...config, postgres: { ...config.postgres, url } }, logger);
  besideService.add(context);
  return context;
}

/** Fires on Ctrl-C or SIGTERM, so that a command stops cleanly. A second Ctrl-C or SIGTERM ends the process. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
