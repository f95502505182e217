import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiTokens } from '@adapters/postgres';
import { RepotideError } from '@core/domain';
import { type Config, type Environment } from '@platform/config';
import { createLogger } from '@platform/observability';
import { MetricsServer } from '../metrics/metrics-server.js';
import { HealthService } from '../health/health.service.js';
import { WorkerService } from '../runs/worker.service.js';
import { ensureAdminToken } from '../access/api-token.js';
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
    const tokenFile = token === null ? null : await keepToken(config.dataDir, token);
    await listening(config.http.port, 'PORT', config, () => app.listen(config.http.port, config.http.host));
    const metricsUrl = await listening(config.metrics.port, 'METRICS_PORT', config, () =>
      app.get(MetricsServer, { strict: false }).listen(),
    );
    announce(linesFor(await app.getUrl(), config, { tokenFile, metricsUrl }), config);
  } catch (error) {
    await app.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    await app.close();
    await afterStop();
  };
  isStarted({
    close,
    handOver: () => app.get(WorkerService).stopNow(),
    findSilent: () => app.get(HealthService).findSilent(),
  });
}

/** @throws RepotideError `port_in_use`, `listen_failed`, which names the setting to change. */
async function listening<T>(
  port: number | undefined,
  setting: string,
  { http: { host } }: Config,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new RepotideError(
      'conflict',
      code === 'EADDRINUSE' ? 'port_in_use' : 'listen_failed',
      `Cannot listen on ${host}:${port} (${code}); set ${setting} or HOST to a free address.`,
      { cause: error, details: { port, host } },
    );
  }
}

/** Writes a generated token where only this user can read it. @returns the path. */
async function keepToken(dataDir: string, token: string): Promise<string> {
  const path = join(dataDir, 'admin-token');
  await mkdir(dataDir, { recursive: true });
  // A file that exists would keep its permissions.
  await rm(path, { force: true });
  await writeFile(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Writes to standard error, in the format of the log: collectors expect one of a pod's lines to be like the others. */
function announce(lines: string[], { log, pod }: Config): void {
  if (log.format === 'pretty') {
    process.stderr.write(`${lines.join('\n')}\n`);
    return;
  }
  const base = { pod: pod.name };
  const logger = createLogger({ level: 'info', format: 'json', base, destination: process.stderr });
  for (const line of lines) logger.info({}, line);
}

/** The token itself is not in it, because collectors keep what a pod prints. */
function linesFor(
  url: string,
  config: Config,
  { tokenFile, metricsUrl }: { tokenFile: string | null; metricsUrl: string | null },
): string[] {
  const docs = config.http.showsDocs ? `, API description at ${url}/docs` : '';
  const lines = [`Repotide listens on ${url} (${config.mode})${docs}`];
  if (metricsUrl !== null) lines.push(`Metrics are at ${metricsUrl}`);
  if (tokenFile !== null) {
    const where = `${tokenFile} on ${config.pod.name}`;
    lines.push(
      `Admin token: generated, in ${where}. Read it, and delete the file; or set REPOTIDE_ADMIN_TOKEN.`,
    );
  } else if (config.auth.adminToken === undefined)
    lines.push('Admin token: as generated at the first start. To replace it, set REPOTIDE_ADMIN_TOKEN.');
  return lines;
}
