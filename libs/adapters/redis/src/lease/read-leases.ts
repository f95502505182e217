import { groupBy, type HeldLease } from '@core/domain';
import { type Redis } from 'ioredis';
import { leasePattern, leaseValue, parseLeaseValue, repositoryIdOf } from '../keys.js';

export interface StoredLease {
  lease: HeldLease;
  /** Infinity: does not expire. */
  ttlMs: number;
}

const KEYS_PER_SCAN = 500;
/** `PTTL` of a key without expiry, and of a missing key; https://redis.io/docs/latest/commands/pttl/ */
const NO_EXPIRY = -1;
const NO_KEY = -2;

/** The leases of one server. SCAN may return a key twice; it does not block the server. */
export async function readLeases(client: Redis, keyPrefix: string): Promise<StoredLease[]> {
  const keys = new Set<string>();
  const scan = client.scanStream({ match: leasePattern(keyPrefix), count: KEYS_PER_SCAN });
  for await (const found of scan as AsyncIterable<string[]>) for (const key of found) keys.add(key);
  const leases = await Promise.all([...keys].map((key) => readLease(client, keyPrefix, key)));
  return leases.filter((lease) => lease !== null);
}

async function readLease(client: Redis, keyPrefix: string, key: string): Promise<StoredLease | null> {
  const [value, pttl] = await Promise.all([client.get(key), client.pttl(key)]);
  if (value === null || pttl === NO_KEY) return null;
  const ttlMs = pttl === NO_EXPIRY ? Infinity : pttl;
  const expiresAt = ttlMs === Infinity ? null : new Date(Date.now() + ttlMs);
  return {
    lease: { ...parseLeaseValue(value), repositoryId: repositoryIdOf(keyPrefix, key), expiresAt },
    ttlMs,
  };
}

/** One lease for its copies on several servers, if a quorum has it: it expires when the quorum is lost. */
export function mergeLeases(copies: readonly StoredLease[], quorum: number): HeldLease[] {
  const byHolding = groupBy(copies, ({ lease }) => `${lease.repositoryId} ${leaseValue(lease)}`);
  return [...byHolding.values()].flatMap((same) => {
    const decisive = same.sort((left, right) => right.ttlMs - left.ttlMs)[quorum - 1];
    return decisive ? [decisive.lease] : [];
  });
}
