import { createServer, request as send, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A proxy that publishes services below a path prefix, as an Ingress with a rewrite does: each request at the next service. */
export interface PrefixProxy {
  /** With the prefix, without a trailing slash. */
  readonly url: string;
  /** Addresses of the services; requests take turns. */
  targets: string[];
  close(): Promise<void>;
}

export async function startPrefixProxy(prefix: string): Promise<PrefixProxy> {
  let turn = 0;
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '/';
    const target = proxy.targets[turn++ % proxy.targets.length];
    if (target === undefined || !(path === prefix || path.startsWith(`${prefix}/`)))
      return void response.writeHead(404).end();
    const url = new URL(path.slice(prefix.length) || '/', target);
    const forwarded = send(url, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.writeHead(502).end());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const proxy: PrefixProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    targets: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return proxy;
}
