import { lookup, type LookupAddress, type LookupAllOptions, type LookupOptions } from 'node:dns';
import { BlockList, type LookupFunction } from 'node:net';
import { RepotideError } from '@core/domain';
import { familyOf, isPublicAddress } from './public-address.js';

export interface OutgoingHostsOptions {
  /** Host names, `*.example.com` for subdomains, addresses, networks (`10.1.0.0/16`), `public` for the internet. */
  allowed: readonly string[];
  /** URLs configured by the operator; their hosts may resolve to any address. */
  operatorUrls: readonly string[];
  /** Resolves names; the system's resolver unless given. */
  resolve?: Resolve;
}

type Resolve = (hostname: string, options: LookupAllOptions, callback: ResolveCallback) => void;
type ResolveCallback = (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void;

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  found: string | LookupAddress[],
  family?: number,
) => void;

/**
 * Decides which hosts Repotide may connect to when their URL came through the API. Checks a URL's host name when the
 * URL is stored, and the resolved addresses when a connection is made, since DNS may have changed by then.
 */
export class OutgoingHosts {
  readonly #names = new Set<string>();
  readonly #suffixes: string[] = [];
  readonly #networks = new BlockList();
  #hasNetworks = false;
  #isPublicAllowed = false;
  readonly #resolve: Resolve;

  constructor({ allowed, operatorUrls, resolve = lookup }: OutgoingHostsOptions) {
    this.#resolve = resolve;
    for (const entry of allowed) this.#allow(entry.toLowerCase());
    for (const url of operatorUrls) this.#names.add(hostOf(new URL(url)));
  }

  /** Checks the host name alone, without DNS. @throws invalid `url_not_allowed`. */
  assertUrl(url: string): void {
    const host = hostOf(new URL(url));
    if (this.#isNamed(host)) return;
    const isAddress = familyOf(host) !== null;
    if (isAddress ? this.#isAddressAllowed(host) : this.#mayResolveToAllowed(host)) return;
    throw notAllowed(host, isAddress ? 'the address is not allowed' : 'the name is not allowed');
  }

  /** For `net.connect`: returns the allowed addresses of a name, and fails with `url_not_allowed` if there are none. */
  readonly lookup: LookupFunction = (hostname: string, options: LookupOptions, callback: LookupCallback) => {
    this.#resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const allowed = this.#isNamed(nameOf(hostname))
        ? found
        : found.filter(({ address }) => this.#isAddressAllowed(address));
      const [first] = allowed;
      if (first === undefined) {
        // Without the address: error messages must not let a caller map the internal network.
        return callback(notAllowed(hostname, 'it resolves to an address that is not allowed'), []);
      }
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };

  #allow(entry: string): void {
    const [address = '', prefix] = entry.split('/');
    const family = familyOf(address);
    if (entry === 'public') this.#isPublicAllowed = true;
    else if (entry.startsWith('*.')) this.#suffixes.push(entry.slice(1));
    else if (family === null) this.#names.add(nameOf(entry));
    else {
      this.#hasNetworks = true;
      this.#networks.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
    }
  }

  #isNamed(host: string): boolean {
    return this.#names.has(host) || this.#suffixes.some((suffix) => host.endsWith(suffix));
  }

  #isAddressAllowed(address: string): boolean {
    const family = familyOf(address);
    if (family === null) return false;
    return this.#networks.check(address, family) || (this.#isPublicAllowed && isPublicAddress(address));
  }

  #mayResolveToAllowed(name: string): boolean {
    if (name === 'localhost' || name.endsWith('.localhost')) return false;
    return this.#isPublicAllowed || this.#hasNetworks;
  }
}

/** Normalized as `URL` does: lower case, addresses in one form (`http://2130706433` is `127.0.0.1`). */
function hostOf({ hostname }: URL): string {
  return nameOf(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function nameOf(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function notAllowed(host: string, reason: string): RepotideError {
  return new RepotideError(
    'invalid',
    'url_not_allowed',
    `Repotide may not connect to ${host}: ${reason}. Use the address of a GitLab on the internet, or have the operator ` +
      `add the host to OUTGOING_ALLOWED_HOSTS.`,
  );
}
