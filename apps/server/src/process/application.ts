import { NestFactory } from '@nestjs/core';
import { type INestApplicationContext } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { NestLoggerAdapter, Tracing } from '@platform/observability';
import { AppModule } from '../app.module.js';
import { configureHttp } from './configure-http.js';
/** What Nest logs and then throws; whoever asked for the start tells it once, in words. */
const THROWN_AS_WELL = new Set<unknown>(['ExceptionHandler', 'NestApplication']);

class StartLogger extends NestLoggerAdapter {
  override error(message: unknown, ...rest: unknown[]): void {
    if (!THROWN_AS_WELL.has(rest.at(-1))) super.error(message, ...rest);
  }
}

/**
 * The application without its HTTP server and without background work: for a command that uses the same services.
 * @throws RepotideError that names the setting to change. Close it when done.
 */
export function openContext(config: Config, logger: Logger): Promise<INestApplicationContext> {
  // Roles are what makes a process claim ticks and take queued runs; a command does only what it was asked.
  return NestFactory.createApplicationContext(AppModule.of({ ...config, roles: [] }, logger), {
    logger: new StartLogger(logger),
    abortOnError: false,
  });
}

/** The application with its HTTP surface, not listening yet. */
export async function createServer(config: Config, logger: Logger): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(config, logger), {
    logger: new StartLogger(logger),
    bodyParser: false,
    rawBody: true,
    abortOnError: false,
    // A client that keeps its connection open must not keep a stopping pod alive.
    forceCloseConnections: true,
  });
  configureHttp(app, { logger, tracing: app.get(Tracing) });
  return app;
}
