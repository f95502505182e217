import { once } from 'node:events';
import type pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';

/** Without this limit a connection whose server vanished would keep a closing process alive forever. */
const GOODBYE_MS = 5_000;

/** The connections of one pool, from their creation until the server has closed them. */
export class OpenConnections {
  isClosing = false;
  private readonly open = new Set<pg.ClientBase>();

  add(client: pg.ClientBase): void {
    this.open.add(client);
    client.once('end', () => this.open.delete(client));
  }

  /** Resolves when all have ended, or after 5 s. */
  async ended(): Promise<void> {
    const signal = AbortSignal.timeout(GOODBYE_MS);
    await Promise.allSettled([...this.open].map((client) => once(client, 'end', { signal })));
  }
}

/**
 * pg's pool reports its end before the server has closed the connections. A server that stops at that moment
 * terminates them itself, which looks like a lost connection, so closing waits until all of them are closed.
 */
export class PooledDataSource extends DataSource {
  constructor(
    options: DataSourceOptions,
    private readonly connections: OpenConnections,
  ) {
    super(options);
  }

  override async destroy(): Promise<void> {
    this.connections.isClosing = true;
    await super.destroy();
    await this.connections.ended();
  }
}
