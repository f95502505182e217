import { type NestExpressApplication } from '@nestjs/platform-express';
import { RepotideError, type Logger, type TokenStore } from '@core/domain';
import { type Config, type Environment } from '@platform/config';
import { WorkerService } from '../runs/worker.service.js';
import { TOKEN_STORE } from '../tokens.js';
import { ensureAdminToken } from './admin-token.js';
import { createServer } from './application.js';
import { setUpProcess } from './environment.js';

/**
 * Starts the service and stops it on SIGTERM or SIGINT: no new work, running work drained or handed over, everything
 * closed, exit code 0. A second signal hands over at once.
 * @returns when it listens.
 * @throws ConfigError or RepotideError when it cannot start; nothing is left running then.
 */
export async function serve(env: Environment): Promise<void> {
  const { config, logger } = setUpProcess(env);
  const app = await createServer(config, logger);
  try {
    const token = await ensureAdminToken(app.get<TokenStore>(TOKEN_STORE), config.auth.adminToken);
    await listen(app, config);
    announce(await app.getUrl(), config, token);
  } catch (error) {
    await app.close();
    throw error;
  }
  stopOnSignals(app, config, logger);
}

async function listen(app: NestExpressApplication, { http }: Config): Promise<void> {
  try {
    await app.listen(http.port, http.host);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new RepotideError(
      'conflict',
      code === 'EADDRINUSE' ? 'port_in_use' : 'listen_failed',
      `Cannot listen on ${http.host}:${http.port} (${code}); set PORT or HOST to a free address.`,
      { cause: error, details: { port: http.port, host: http.host } },
    );
  }
}

/** For people at a terminal; written past the log, which would hide the token. */
function announce(url: string, config: Config, token: string | null): void {
  const lines = [`Repotide listens on ${url} (${config.mode}), API description at ${url}/docs`];
  if (token !== null) lines.push(`Admin token, shown only now: ${token}`);
  process.stderr.write(`${lines.join('\n')}\n`);
}

function stopOnSignals(app: NestExpressApplication, config: Config, logger: Logger): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    logger.info({ signal, again: isStopping }, 'stopping');
    if (isStopping) {
      app.get(WorkerService).stopNow();
      return;
    }
    isStopping = true;
    void stop(app, config, logger);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

async function stop(app: NestExpressApplication, config: Config, logger: Logger): Promise<void> {
  const overdue = setTimeout(() => {
    logger.error({ grace_seconds: config.shutdown.graceSeconds }, 'did not stop within the grace period');
    process.exit(1);
  }, config.shutdown.graceSeconds * 1000);
  try {
    await app.close();
    clearTimeout(overdue);
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'stopping failed');
    process.exit(1);
  }
}
