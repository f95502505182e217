import { NestFactory } from '@nestjs/core';
import { type Logger } from '@core/domain';
import { loadConfig } from '@platform/config';
import { AppModule } from '../app.module.js';
import { buildOpenApiDocument } from '../http/openapi.js';

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

/**
 * Renders the API document for `docs/openapi.json`. Nest's preview mode reads the modules without creating providers, so
 * this needs neither database nor network. The same code gives the same text.
 */
export async function renderApiDocument(): Promise<string> {
  const options = { preview: true, abortOnError: false, logger: false } as const;
  const app = await NestFactory.create(AppModule.of(loadConfig({}), silent), options);
  return `${JSON.stringify(buildOpenApiDocument(app), null, 2)}\n`;
}
