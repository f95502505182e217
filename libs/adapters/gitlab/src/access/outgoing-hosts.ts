import { lookup, type LookupAddress, type LookupAllOptions, type LookupOptions } from 'node:dns';
import { BlockList, type LookupFunction } from 'node:net';
import { RepotideError } from '@core/domain';
import { familyOf, isPublicAddress } from './public-address.js';

export interface OutgoingHostsOptions {
  /**
   * `public` for the internet, or a host name, `*.example.com` for subdomains, an address or a network (`10.1.0.0/16`).
   * Without a scheme before it: https only. Without a port after it (`:8443`, `:*`): the port of the scheme; for
   * `public` every port.
   */
  allowed: readonly string[];
  /** URLs configured by the operator; their hosts may resolve to any address, at exactly this scheme and port. */
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

/** An entry of the list. */
interface Rule {
  protocol: string;
  /** `*`: every port. */
  port: string;
  /** Whether the name is allowed, whatever it resolves to. */
  isNamed(host: string): boolean;
  isAddress(address: string): boolean;
  /** Whether a name that is not listed may resolve to an allowed address. */
  hasAddresses: boolean;
}

/**
 * Decides which servers Repotide may connect to when their URL came through the API: by scheme, host and port. Checks a
 * URL when it is stored, and the resolved addresses when a connection is made, since DNS may have changed by then.
 */
export class OutgoingHosts {
  readonly #operatorOrigins: ReadonlySet<string>;
  readonly #rules: readonly Rule[];
  readonly #resolve: Resolve;

  constructor({ allowed, operatorUrls, resolve = lookup }: OutgoingHostsOptions) {
    this.#resolve = resolve;
    this.#rules = allowed.map((entry) => ruleOf(entry.toLowerCase()));
    this.#operatorOrigins = new Set(operatorUrls.map((url) => originOf(new URL(url))));
  }

  /** Checks scheme, host name and port, without DNS. @throws invalid `url_not_allowed`. */
  assertUrl(address: string): void {
    const url = new URL(address);
    if (this.#operatorOrigins.has(originOf(url))) return;
    const host = hostOf(url);
    const isAllowed = (rule: Rule): boolean => rule.isNamed(host) || mayLead(rule, host);
    if (this.#rulesFor(url).some(isAllowed)) return;
    throw notAllowed(url, this.#rules.some(isAllowed) ? 'another scheme or port is' : 'the host is not');
  }

  /** For connections to this origin: gives the allowed addresses of its name; `url_not_allowed` if there are none. */
  lookupFor(origin: string): LookupFunction {
    const url = new URL(origin);
    const rules = this.#rulesFor(url);
    return (hostname: string, options: LookupOptions, callback: LookupCallback) => {
      const isTrusted =
        this.#operatorOrigins.has(originOf(url)) || rules.some((rule) => rule.isNamed(nameOf(hostname)));
      this.#resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, []);
        const allowed = isTrusted
          ? found
          : found.filter(({ address }) => rules.some((rule) => rule.isAddress(address)));
        const [first] = allowed;
        // Without the address: error messages must not let a caller map the internal network.
        if (first === undefined) return callback(notAllowed(url, 'the address of the host is not'), []);
        return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
      });
    };
  }

  #rulesFor(url: URL): Rule[] {
    const port = portOf(url);
    return this.#rules.filter(
      (rule) => rule.protocol === url.protocol && (rule.port === '*' || rule.port === port),
    );
  }
}

function mayLead(rule: Rule, host: string): boolean {
  if (familyOf(host) !== null) return rule.isAddress(host);
  return rule.hasAddresses && host !== 'localhost' && !host.endsWith('.localhost');
}

function ruleOf(entry: string): Rule {
  const { scheme = 'https', host = '', port } = ENTRY.exec(entry)?.groups ?? {};
  const isPublic = host === 'public';
  const anyPort = isPublic ? '*' : undefined;
  return {
    protocol: `${scheme}:`,
    port: port ?? anyPort ?? (scheme === 'http' ? '80' : '443'),
    ...matcherOf(host.replace(/^\[(.*)\]$/, '$1'), isPublic),
  };
}

/** `[scheme://]host[:port]`; an IPv6 address before a port is in brackets. */
const ENTRY = /^((?<scheme>https?):\/\/)?(?<host>\[[^\]]*\]|[^:]*|.*:.*:.*?)(:(?<port>\d+|\*))?$/;

function matcherOf(host: string, isPublic: boolean): Omit<Rule, 'protocol' | 'port'> {
  const none = (): boolean => false;
  if (isPublic) return { isNamed: none, isAddress: isPublicAddress, hasAddresses: true };
  const [address = '', prefix] = host.split('/');
  const family = familyOf(address);
  if (family === null) {
    const isNamed = host.startsWith('*.')
      ? (name: string) => name.endsWith(host.slice(1))
      : (name: string) => name === nameOf(host);
    return { isNamed, isAddress: none, hasAddresses: false };
  }
  const network = new BlockList();
  network.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  const isAddress = (found: string): boolean => {
    const foundFamily = familyOf(found);
    return foundFamily !== null && network.check(found, foundFamily);
  };
  return { isNamed: none, isAddress, hasAddresses: true };
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'http:' ? '80' : '443') : port;
}

function originOf(url: URL): string {
  return `${url.protocol}//${hostOf(url)}:${portOf(url)}`;
}

/** Normalized as `URL` does: lower case, addresses in one form (`http://2130706433` is `127.0.0.1`). */
function hostOf({ hostname }: URL): string {
  return nameOf(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function nameOf(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function notAllowed(url: URL, reason: string): RepotideError {
  const message =
    `Repotide may not connect to ${url.protocol}//${url.host}: ${reason} allowed. Use https and an address ` +
    `on the internet, or have the operator add "${url.protocol}//${url.host}" to OUTGOING_ALLOWED_HOSTS.`;
  return new RepotideError('invalid', 'url_not_allowed', message);
}
