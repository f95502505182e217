import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Direction = 'to-server' | 'to-client';

/** A TCP proxy that simulates faults of a network. */
export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** Connections that are open now. */
  connectionCount(): number;
  /** Delays each piece of data by so many milliseconds, in both directions. */
  setLatency(milliseconds: number): void;
  /**
   * Holds back all data in these directions while connections stay open, including new ones. One direction gives a half-open
   * socket, both give a network that drops everything.
   */
  blackhole(...directions: Direction[]): void;
  /** Bytes that are held back in that direction now. */
  heldBytes(direction: Direction): number;
  /** Delivers the data held back so far, as TCP would, and lets further data through. */
  restore(): void;
  /** Resets all connections; data held back is lost. New connections are accepted. */
  cut(): void;
  /** Resets all connections and accepts none until {@link TcpProxy.admit}. */
  refuse(): void;
  admit(): void;
  /** Connects new connections to another server, as a service name does after a fail-over. Open ones stay where they are. */
  retarget(port: number): void;
  close(): Promise<void>;
}

/** @param target address of the real server. */
export async function startTcpProxy({
  host = '127.0.0.1',
  port,
}: {
  host?: string;
  port: number;
}): Promise<TcpProxy> {
  const target = { host, port };
  const links = new Set<Link>();
  const weather: Weather = { latencyMs: 0, holes: new Set(), isRefusing: false };
  const server = createServer((client) => {
    if (weather.isRefusing) return void client.resetAndDestroy();
    const link = new Link(client, connect(target.port, target.host), weather);
    links.add(link);
    link.onEnd(() => links.delete(link));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const link of links) link.reset();
  };
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    connectionCount: () => links.size,
    setLatency: (milliseconds) => void (weather.latencyMs = milliseconds),
    blackhole: (...directions) => directions.forEach((direction) => weather.holes.add(direction)),
    heldBytes: (direction) => [...links].reduce((sum, link) => sum + link.heldBytes(direction), 0),
    restore() {
      weather.holes.clear();
      for (const link of links) link.flush();
    },
    cut,
    refuse() {
      weather.isRefusing = true;
      cut();
    },
    admit: () => void (weather.isRefusing = false),
    retarget: (port) => void (target.port = port),
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Weather {
  latencyMs: number;
  holes: Set<Direction>;
  isRefusing: boolean;
}

/** One client and its connection to the server. */
class Link {
  private readonly held: Record<Direction, Buffer[]> = { 'to-server': [], 'to-client': [] };
  private readonly passed = { 'to-server': Promise.resolve(), 'to-client': Promise.resolve() };

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly weather: Weather,
  ) {
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => this.reset());
    }
    client.on('data', (data) => this.pass('to-server', data));
    server.on('data', (data) => this.pass('to-client', data));
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  onEnd(listener: () => void): void {
    this.client.once('close', listener);
  }

  reset(): void {
    this.client.resetAndDestroy();
    this.server.resetAndDestroy();
  }

  heldBytes(direction: Direction): number {
    return this.held[direction].reduce((sum, { length }) => sum + length, 0);
  }

  flush(): void {
    for (const direction of ['to-server', 'to-client'] as const) {
      for (const data of this.held[direction].splice(0)) this.write(direction, data);
    }
  }

  /** One piece after the other: when the latency falls, no piece overtakes those on their way. */
  private pass(direction: Direction, data: Buffer): void {
    const dueAt = performance.now() + this.weather.latencyMs;
    this.passed[direction] = this.passed[direction].then(async () => {
      const waitMs = dueAt - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      this.deliver(direction, data);
    });
  }

  private deliver(direction: Direction, data: Buffer): void {
    if (this.weather.holes.has(direction)) this.held[direction].push(data);
    else this.write(direction, data);
  }

  private write(direction: Direction, data: Buffer): void {
    const socket = direction === 'to-server' ? this.server : this.client;
    if (!socket.destroyed) socket.write(data);
  }
}
