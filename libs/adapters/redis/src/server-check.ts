import { type RedisServer } from './redis-server.js';

/** Older servers lack commands and fixes that leases rely on. */
const OLDEST_VERSION = [6, 2] as const;

/**
 * Settings of this server that weaken leases and queue, one sentence each: eviction, missing persistence, read-only
 * replica, cluster, old version, or a refused INFO. Never throws.
 */
export async function findWeaknesses(server: RedisServer): Promise<string[]> {
  try {
    const info = await server.client.info();
    return weaknessesIn(info).map((weakness) => `Redis at ${server.address} ${weakness}`);
  } catch (error) {
    return [`Redis at ${server.address} could not be checked (INFO: ${server.reasonOf(error)}).`];
  }
}

/** @returns sentences that start with the name of the server. */
export function weaknessesIn(infoText: string): string[] {
  return [...weaknessesOf(parseInfo(infoText))];
}

function* weaknessesOf(info: ReadonlyMap<string, string>): Generator<string> {
  const policy = info.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    yield `evicts keys (maxmemory-policy ${policy}), leases among them. Set maxmemory-policy noeviction.`;
  }
  if (info.get('aof_enabled') === '0') {
    yield 'has no append-only file: a restart loses leases and queue, and interrupts runs. Set appendonly yes.';
  }
  if ((info.get('role') ?? 'master') !== 'master') {
    yield 'is a replica and refuses writes. Set REDIS_URL to the primary.';
  }
  if (info.get('redis_mode') === 'cluster') {
    yield 'is a cluster, which the queue does not support. Set REDIS_URL to a single server (or several independent ones).';
  }
  const version = info.get('redis_version') ?? '';
  if (isOlder(version, OLDEST_VERSION)) {
    yield `is version ${version}; ${OLDEST_VERSION.join('.')} or newer is expected. Upgrade it.`;
  }
}

/** `name:value` lines under `# Section` headings. */
function parseInfo(text: string): Map<string, string> {
  const pairs = text.split(/\r?\n/).filter((line) => !line.startsWith('#') && line.includes(':'));
  return new Map(pairs.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

function isOlder(version: string, [wantedMajor, wantedMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return version !== '' && (major < wantedMajor || (major === wantedMajor && minor < wantedMinor));
}
