import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A loopback port on which nothing listens now; another process may still take it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
