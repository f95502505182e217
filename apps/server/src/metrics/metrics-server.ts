import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Logger, toRepotideError } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { MetricsPage } from './metrics-page.js';

/** A scrape has no body and short headers; a client that sends slowly must not hold connections. */
const LIMITS = { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 10_000 };

/** Serves `GET /metrics`, and nothing else, at METRICS_PORT. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private server: Server | null = null;

  constructor(
    private readonly page: MetricsPage,
    private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: Pick<Config, 'metrics' | 'http'>,
  ) {}

  /**
   * Begins to listen. @returns the address; null without METRICS_PORT.
   * @throws the error of the socket, such as EADDRINUSE.
   */
  async listen(): Promise<string | null> {
    const { port } = this.config.metrics;
    if (port === undefined) return null;
    const server = createServer(LIMITS, (request, response) => {
      this.answer(request, response).catch((thrown: unknown) => {
        const { code, message } = toRepotideError(thrown);
        this.logger.error({ error_code: code, error: message }, 'Metrics could not be shown');
        response.writeHead(500).end();
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, this.config.http.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    this.server = server;
    const { address, family, port: actual } = server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}/metrics`;
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (server === null) return;
    this.server = null;
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') return void response.writeHead(404).end();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, { Allow: 'GET' }).end();
    if (!this.page.admits(request.headers.authorization))
      return void response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="repotide metrics"' }).end();
    const text = await this.page.render();
    const headers = { 'Content-Type': MetricsPage.contentType, 'X-Content-Type-Options': 'nosniff' };
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : text);
  }
}
