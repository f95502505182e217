import { type INestApplicationContext } from '@nestjs/common';
import { findRunningServer } from '@adapters/postgres';
import { RepotideError, throwIfAborted, type Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { registerSecrets } from '@platform/observability';
import { openContext, openLocalApi, setUpProcess } from '../../../server/src/index.js';
import { connectTo, type Session } from '../service/client.js';
import { interruptSignal } from '../service/interrupt.js';

type Open<T extends Closable> = (config: Config, logger: Logger) => Promise<T>;
interface Closable {
  close(): Promise<void>;
}

/**
 * Opens the application for one command, also next to a running service, and always closes it. Writes the log to standard
 * error, from level `warn` unless LOG_LEVEL is set, because standard output is for the command's result.
 * @param work gets a signal that fires on Ctrl-C or SIGTERM.
 */
export function withApplication<T>(
  work: (context: INestApplicationContext, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withProcess(openContext, work);
}

/** The same with its API, on the loopback interface. */
export function withLocalApi<T>(work: (session: Session) => Promise<T>): Promise<T> {
  return withProcess(openLocalApi, ({ url, token }, signal) =>
    work({ client: connectTo({ url, token, signal }), url: null, signal }),
  );
}

async function withProcess<Opened extends Closable, T>(
  open: Open<Opened>,
  work: (opened: Opened, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // Before the embedded database server starts, because a killed process would leave it running.
  const signal = interruptSignal();
  const env = { LOG_LEVEL: 'warn', POD_NAME: `cli-${process.pid}`, ...process.env };
  const { config, logger } = setUpProcess(env, process.stderr);
  const opened = await open(config, logger).catch((error: unknown) =>
    openBesideService(open, config, logger, error),
  );
  try {
    throwIfAborted(signal);
    return await work(opened, signal);
  } finally {
    await opened.close();
  }
}

/** What shares the embedded database of a running service. */
const besideService = new WeakSet<object>();

/** Whether a running service owns the data, so that it must do the runs: their leases are in its memory. */
export function isBesideService(opened: object): boolean {
  return besideService.has(opened);
}

/**
 * Opens the application on the embedded database of the service that runs on the data directory. The password file is the
 * permission: only the user of the service can read it.
 * @throws the former error when that is not the reason, or when the service is on another host.
 */
async function openBesideService<Opened extends Closable>(
  open: Open<Opened>,
  config: Config,
  logger: Logger,
  error: unknown,
): Promise<Opened> {
  if (!(error instanceof RepotideError) || error.code !== 'data_dir_in_use') throw error;
  const url = await findRunningServer(config.dataDir);
  if (url === null) throw error;
  registerSecrets([url, new URL(url).password]);
  const opened = await open({ ...config, postgres: { ...config.postgres, url, tlsDir: undefined } }, logger);
  besideService.add(opened);
  return opened;
}
