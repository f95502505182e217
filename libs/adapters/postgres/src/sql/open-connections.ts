import { once } from 'node:events';
import type pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';

/** A connection whose server vanished would keep a closing process alive for ever. */
const GOODBYE_MS = 5_000;

/** The connections of one pool, from the moment they are made until the server has let them go. */
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
 * pg's pool calls itself ended as soon as it has said goodbye. A server that is stopped in that moment terminates the
 * connections itself, which looks like a loss; so the end waits until the server has let go of all of them.
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
