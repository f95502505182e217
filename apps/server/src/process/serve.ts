import { type NestExpressApplication } from '@nestjs/platform-express';
import { ApiTokens } from '@adapters/postgres';
import { RepotideError } from '@core/domain';
import { type Config, type Environment } from '@platform/config';
import { WorkerService } from '../runs/worker.service.js';
import { ensureAdminToken } from '../access/tokens.service.js';
import { createServer } from './application.js';
import { setUpProcess } from './environment.js';
import { stopOnSignals } from './stop-on-signals.js';

/**
 * Starts the service. On SIGTERM or SIGINT it accepts no new work, drains or hands over its runs, closes everything and
 * exits with code 0. A second signal hands the runs over at once.
 * @param afterStop runs after the service has closed and before the process exits.
 * @returns when the service listens.
 * @throws ConfigError or RepotideError when it cannot start; it has closed everything before.
 */
export async function serve(env: Environment, afterStop = async (): Promise<void> => {}): Promise<void> {
  const { config, logger } = setUpProcess(env);
  const isStarted = stopOnSignals(config.shutdown.graceSeconds, logger);
  const app = await createServer(config, logger);
  try {
    const token = await ensureAdminToken(app.get(ApiTokens), config.auth.adminToken);
    await listen(app, config);
    announce(await app.getUrl(), config, token);
  } catch (error) {
    await app.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    await app.close();
    await afterStop();
  };
  isStarted({ close, handOver: () => app.get(WorkerService).stopNow() });
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

/** Writes directly to the terminal, because the log would redact the token. */
function announce(url: string, config: Config, token: string | null): void {
  const lines = [`Repotide listens on ${url} (${config.mode}), API description at ${url}/docs`];
  if (token !== null) lines.push(`Admin token, shown only now: ${token}`);
  else if (config.auth.adminToken === undefined)
    lines.push(
      'Admin token: as shown at the first start; set REPOTIDE_ADMIN_TOKEN to add one of your choice.',
    );
  process.stderr.write(`${lines.join('\n')}\n`);
}
