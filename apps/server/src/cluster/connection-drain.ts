import { type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Config } from '@platform/config';
import { isInCluster } from '../composition/pod-directory.js';
import { CONFIG } from '../injection-tokens.js';

/** A client with a kept connection, such as a proxy, usually sends its next request within this time. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 50;

/**
 * Ends kept connections without an error for the client: while the process stops, each response says `Connection: close`.
 * Proxies of a cluster keep connections to a pod that ends: it waits for them a moment before the server closes.
 */
@Injectable()
export class ConnectionDrain implements OnModuleDestroy, BeforeApplicationShutdown {
  private stoppedAt = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly host: HttpAdapterHost,
  ) {}

  onModuleDestroy(): void {
    this.stoppedAt = performance.now();
    this.server()?.prependListener('request', (_request, response) => {
      response.setHeader('Connection', 'close');
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    const server = this.server();
    if (server === undefined || !isInCluster(this.config)) return;
    const until = this.stoppedAt + Math.min(MAX_WAIT_MS, (this.config.shutdown.graceSeconds * 1000) / 4);
    while (performance.now() < until && (await connectionsOf(server)) > 0) await sleep(POLL_MS);
  }

  /** Undefined for a command, which serves no HTTP. */
  private server(): Server | undefined {
    const adapter = this.host.httpAdapter as HttpAdapterHost['httpAdapter'] | undefined;
    return adapter?.getHttpServer() as Server | undefined;
  }
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}
