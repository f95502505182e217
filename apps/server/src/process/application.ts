import { NestFactory } from '@nestjs/core';
import { type INestApplicationContext } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { NestLoggerAdapter, Tracing } from '@platform/observability';
import { Authenticator } from '../access/authenticator.js';
import { AppModule } from '../app.module.js';
import { configureHttp } from './configure-http.js';
import { limitHeapGrowth } from './heap.js';

/** Contexts in which Nest logs an error and then throws it. The log line is dropped, because the caller reports the error. */
const THROWN_AS_WELL = new Set<unknown>(['ExceptionHandler', 'NestApplication']);

class StartLogger extends NestLoggerAdapter {
  override error(message: unknown, ...rest: unknown[]): void {
    if (!THROWN_AS_WELL.has(rest.at(-1))) super.error(message, ...rest);
  }
}

/**
 * Opens the application without HTTP server and background work, for a command that uses the same services.
 * @throws RepotideError that names the setting to change. Close it when done.
 */
export function openContext(config: Config, logger: Logger): Promise<INestApplicationContext> {
  limitHeapGrowth();
  // Without roles, the process claims no ticks and takes no queued runs.
  return NestFactory.createApplicationContext(AppModule.of({ ...config, roles: [] }, logger), {
    logger: new StartLogger(logger),
    abortOnError: false,
  });
}

export interface LocalApi {
  url: string;
  /** Accepted by this process alone. */
  token: string;
  close(): Promise<void>;
}

/**
 * Opens the application for one command with its API on the loopback interface, as {@link openContext} without background
 * work. Its changes are recorded as those of `cli`.
 */
export async function openLocalApi(config: Config, logger: Logger): Promise<LocalApi> {
  // The limit protects a service from its callers, and this one has one caller.
  const http = { ...config.http, rateLimitPerMinute: 0 };
  const app = await createServer({ ...config, http, roles: [] }, logger);
  try {
    const token = app.get(Authenticator, { strict: false }).makeOwnToken('cli', 'cli');
    await app.listen(0, '127.0.0.1');
    return { url: await app.getUrl(), token, close: () => app.close() };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Creates the application with its HTTP server, which does not listen yet. */
export async function createServer(config: Config, logger: Logger): Promise<NestExpressApplication> {
  limitHeapGrowth();
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(config, logger), {
    logger: new StartLogger(logger),
    // Bodies are read after authentication.
    bodyParser: false,
    abortOnError: false,
    // Open client connections must not delay the shutdown.
    forceCloseConnections: true,
  });
  configureHttp(app, { logger, tracing: app.get(Tracing) });
  return app;
}
