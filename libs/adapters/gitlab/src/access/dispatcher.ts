import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { type OutgoingHosts } from './outgoing-hosts.js';

interface DispatcherOptions {
  pipelining: number;
  /** For a connection. */
  timeoutMs: number;
  /** Absent: every server may be requested. */
  outgoing: OutgoingHosts | undefined;
}

/**
 * Shares connections per origin, because which addresses are allowed depends on scheme and port too. Where HTTPS_PROXY or
 * HTTP_PROXY names a forward proxy, the proxy resolves names, so it decides which addresses they may have.
 */
export function openDispatcher({ pipelining, timeoutMs, outgoing }: DispatcherOptions): Dispatcher {
  const timeout = { timeout: timeoutMs };
  return new EnvHttpProxyAgent({
    pipelining,
    // Proxies refuse tunnels to ports of plain HTTP.
    proxyTunnel: false,
    proxyTls: timeout,
    requestTls: timeout,
    factory: (origin, { connect: tunnel }: Pool.Options) => {
      const lookup = outgoing?.lookupFor(origin.toString());
      const connect = typeof tunnel === 'function' ? tunnel : { ...timeout, lookup };
      return new Pool(origin, { pipelining, connect });
    },
  });
}
