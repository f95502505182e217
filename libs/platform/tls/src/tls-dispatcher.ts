import { Dispatcher, EnvHttpProxyAgent } from 'undici';
import { type Certificates } from './certificates.js';
import { RenewedCertificates, type Warn } from './renewed-certificates.js';

/**
 * For HTTP clients, through the forward proxy if there is one: when the files have changed, the next request uses new
 * connections. Requests on the former ones end undisturbed.
 * @throws CertificateError
 */
export function tlsDispatcher(
  directory: string,
  warn: Warn,
  options: EnvHttpProxyAgent.Options = {},
): Dispatcher {
  return new RenewedDispatcher(new RenewedCertificates(directory, warn), options);
}

class RenewedDispatcher extends Dispatcher {
  private used: Certificates;
  private opened: Dispatcher;

  constructor(
    private readonly certificates: RenewedCertificates,
    private readonly options: EnvHttpProxyAgent.Options,
  ) {
    super();
    this.used = certificates.current();
    this.opened = this.open();
  }

  override dispatch(...request: Parameters<Dispatcher['dispatch']>): boolean {
    const current = this.certificates.current();
    if (current !== this.used) {
      void this.opened.close();
      this.used = current;
      this.opened = this.open();
    }
    return this.opened.dispatch(...request);
  }

  private open(): Dispatcher {
    const { used, options } = this;
    // Proxies refuse tunnels to ports of plain HTTP.
    return new EnvHttpProxyAgent({ proxyTunnel: false, ...options, connect: used, requestTls: used });
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | void {
    return callback ? this.opened.close(callback) : this.opened.close();
  }

  override destroy(error?: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(...how: unknown[]): Promise<void> | void {
    return this.opened.destroy(...(how as [Error | null, () => void]));
  }
}
