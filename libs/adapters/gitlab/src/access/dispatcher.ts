import { type Logger } from '@core/domain';
import { tlsDispatcher } from '@platform/tls';
import { Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { type OutgoingHosts } from './outgoing-hosts.js';

/** For the one host that the operator named: its certificates are for no other server. */
export interface HostCertificates {
  baseUrl: string;
  /** `GITLAB_TLS_DIR` */
  tlsDir: string | undefined;
  logger: Logger;
}

interface DispatcherOptions {
  pipelining: number;
  /** For a connection. */
  timeoutMs: number;
  /** Absent: every server may be requested. */
  outgoing: OutgoingHosts | undefined;
  certificates?: HostCertificates | undefined;
}

/**
 * Shares connections per origin, because which addresses are allowed depends on scheme and port too. Where HTTPS_PROXY or
 * HTTP_PROXY names a forward proxy, the proxy resolves names, so it decides which addresses they may have.
 */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { pipelining, timeoutMs, certificates } = options;
  const others = openPlain(options);
  if (certificates?.tlsDir === undefined) return others;
  const { baseUrl, tlsDir, logger } = certificates;
  const warn = (detail: string) => logger.warn({ detail }, 'certificates of GITLAB_TLS_DIR');
  const own = tlsDispatcher(tlsDir, warn, { pipelining, connectTimeout: timeoutMs });
  return new HostDispatcher(new URL(baseUrl).origin, own, others);
}

/** Sends requests to one origin through `own`, and all others through `others`. */
class HostDispatcher extends Dispatcher {
  constructor(
    private readonly origin: string,
    private readonly own: Dispatcher,
    private readonly others: Dispatcher,
  ) {
    super();
  }

  override dispatch(...[options, handler]: Parameters<Dispatcher['dispatch']>): boolean {
    const isOwn = options.origin !== undefined && new URL(options.origin).origin === this.origin;
    return (isOwn ? this.own : this.others).dispatch(options, handler);
  }
}

function openPlain({ pipelining, timeoutMs, outgoing }: DispatcherOptions): Dispatcher {
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
