import { type HeldLease } from '@core/domain';
import { type Redis } from 'ioredis';
import { leasePattern, leaseValue, parseLeaseValue, repositoryIdOf } from '../keys.js';

export interface StoredLease {
  lease: HeldLease;
  /** Infinity when it does not expire. */
  ttlMs: number;
}

const KEYS_PER_SCAN = 500;
/** `PTTL` of a key without expiry, and of none; https://redis.io/docs/latest/commands/pttl/ */
const ENDLESS = -1;
const GONE = -2;

/** The leases of one server. SCAN may show a key twice and does not lock out anybody. */
export async function readLeases(client: Redis, keyPrefix: string): Promise<StoredLease[]> {
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = await client.scan(cursor, 'MATCH', leasePattern(keyPrefix), 'COUNT', KEYS_PER_SCAN);
    for (const key of found) keys.add(key);
    cursor = next;
  } while (cursor !== '0');
  const leases = await Promise.all([...keys].map((key) => readLease(client, keyPrefix, key)));
  return leases.filter((lease) => lease !== null);
}

async function readLease(client: Redis, keyPrefix: string, key: string): Promise<StoredLease | null> {
  const [value, pttl] = await Promise.all([client.get(key), client.pttl(key)]);
  if (value === null || pttl === GONE) return null;
  const ttlMs = pttl === ENDLESS ? Infinity : pttl;
  const expiresAt = ttlMs === Infinity ? null : new Date(Date.now() + ttlMs);
  return {
    lease: { ...parseLeaseValue(value), repositoryId: repositoryIdOf(keyPrefix, key), expiresAt },
    ttlMs,
  };
}

/** One lease for its copies on several servers, where enough have it: it lives as long as a majority of them. */
export function mergeLeases(copies: readonly StoredLease[], quorum: number): HeldLease[] {
  const byHolding = new Map<string, StoredLease[]>();
  for (const copy of copies) {
    const holding = `${copy.lease.repositoryId} ${leaseValue(copy.lease)}`;
    byHolding.set(holding, [...(byHolding.get(holding) ?? []), copy]);
  }
  return [...byHolding.values()].flatMap((same) => {
    const decisive = same.sort((left, right) => right.ttlMs - left.ttlMs)[quorum - 1];
    return decisive ? [decisive.lease] : [];
  });
}
