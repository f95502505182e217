import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface DistantHost {
  url: string;
  stop(): void;
}

/** The same server, as if it were farther away: each byte arrives half of `roundTripMs` later, in both directions. */
export async function startDistantHost(url: string, roundTripMs: number): Promise<DistantHost> {
  const port = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      // Timers of equal length fire in their order, so the order of the bytes stays.
      from.on('data', (part) => setTimeout(() => to.write(part), roundTripMs / 2));
      from.on('close', () => setTimeout(() => to.destroy(), roundTripMs / 2));
      from.on('error', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
