import { RepotideError } from '@core/domain';
import { type RedisOptions } from 'ioredis';

/** The Sentinels' port of Redis' own documentation. */
const SENTINEL_PORT = 26_379;
const SENTINELS = /^(rediss?)\+sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([\w.-]+)(?:\/(\d+))?(?:\?([^#]*))?$/;

/**
 * `host:port` of a Redis URL, for messages: without user, password and parameters. With Sentinels, theirs and the name of
 * their primary.
 * @throws invalid `redis_url_invalid`, without showing the URL.
 */
export function addressOf(url: string): string {
  const [, , , hosts, name] = SENTINELS.exec(url) ?? [];
  if (hosts !== undefined) {
    for (const { host, port } of sentinelsOf(hosts)) if (!URL.canParse(`redis://${host}:${port}`)) refuse();
    return `${hosts}/${name}`;
  }
  if (!URL.canParse(url) || !/^rediss?:\/\//.test(url) || !isDatabase(new URL(url).pathname)) refuse();
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}

/**
 * The options of a URL with Sentinels; null for that of a server. A connection asks the Sentinels for the primary each time
 * that it is opened, and is closed when the server that it reached is a replica.
 */
export function sentinelOptions(url: string): RedisOptions | null {
  const found = SENTINELS.exec(url);
  if (found === null) return null;
  const [, scheme, account = '', hosts, name, database, query] = found;
  const [username, password] = account.split(':', 2).map(decodeURIComponent);
  const tls = scheme === 'rediss' ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
  return {
    ...{ sentinels: sentinelsOf(hosts!), name, role: 'master', db: Number(database ?? 0), ...tls },
    ...{ username: username || undefined, password: password || undefined },
    sentinelPassword: new URLSearchParams(query).get('sentinel_password') ?? undefined,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
  };
}

/** A Sentinel that does not answer is skipped. */
const SENTINEL_TIMEOUT_MS = 2_000;

function sentinelsOf(hosts: string): { host: string; port: number }[] {
  return hosts.split(',').map((address) => {
    const [, host = address, port] = /^(.*?)(?::(\d+))?$/.exec(address.trim()) ?? [];
    return { host, port: Number(port ?? SENTINEL_PORT) };
  });
}

function refuse(): never {
  const message =
    'REDIS_URL is not a Redis URL. Expected e.g. redis://user:password@host:6379/0, rediss:// for TLS, or ' +
    'redis+sentinel://host:26379,host:26379/master-name (percent-encode special characters of the password).';
  throw new RepotideError('invalid', 'redis_url_invalid', message);
}

function isDatabase(pathname: string): boolean {
  return /^\/?\d*$/.test(pathname);
}
