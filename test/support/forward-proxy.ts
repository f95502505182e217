import { lookup, type LookupOptions } from 'node:dns';
import { Server } from 'proxy-chain';

/** A forward proxy that expects a user and a password, and that alone resolves names that end in `.test`: to this machine. */
export interface ForwardProxy {
  /** The URL with user and password. */
  readonly url: string;
  readonly password: string;
  /** `host:port` of each request or tunnel that it accepted, in order. */
  readonly accepted: string[];
  /** Requests with a wrong or missing password. */
  refusedCount(): number;
  close(): Promise<void>;
}

const USER = 'tide';
const PASSWORD = 'p@ss/word of the proxy';

export async function startForwardProxy(): Promise<ForwardProxy> {
  const accepted: string[] = [];
  let refused = 0;
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction({ username, password, hostname, port }) {
      const isKnown = username === USER && password === PASSWORD;
      if (isKnown) accepted.push(`${hostname}:${port}`);
      else refused += 1;
      return { requestAuthentication: !isKnown, dnsLookup: resolve as typeof lookup };
    },
  });
  await server.listen();
  return {
    url: `http://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}`,
    password: PASSWORD,
    accepted,
    refusedCount: () => refused,
    close: () => server.close(true),
  };
}

type Found = (error: NodeJS.ErrnoException | null, address: unknown, family?: number) => void;

function resolve(hostname: string, options: LookupOptions, found: Found): void {
  lookup(hostname.endsWith('.test') ? '127.0.0.1' : hostname, options, found);
}
