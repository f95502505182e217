import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LeaseHolder, RepotideError } from '@core/domain';
import { type LeaseRun } from './held-lease.js';
import { type LeaseSession } from './lease-session.js';
import * as sql from './statements.js';

const POLL_MS = 50;
/** An event loop that is blocked for seconds should not cost a pod all its leases. */
export const BREAK_PATIENCE_MS = 3_000;

/** @throws temporary `lease_unavailable`; a lock that was taken is released then. */
export async function takeLock(session: LeaseSession, podName: string, run: LeaseRun): Promise<boolean> {
  const { repositoryId, executionId, fence } = run;
  const parameters = [repositoryId, podName, executionId, fence, ...leaseKey(repositoryId)];
  try {
    return (await session.inTime(session.query(sql.TAKE, parameters))).length > 0;
  } catch (error) {
    // The lock may be taken, now or later; the release is queued behind it on the same connection.
    void giveBack(session, podName, run);
    throw error;
  }
}

/** Releases the lock. Never rejects. */
export async function giveBack(session: LeaseSession, podName: string, run: LeaseRun): Promise<void> {
  const { repositoryId, executionId, fence } = run;
  const unlocked = session.query(sql.UNLOCK, leaseKey(repositoryId));
  // A lock that stays on the session without a lease would block the repository as long as this process lives.
  unlocked.catch(() => session.drop('a lock on the same connection could not be released'));
  const forgotten = session.query(sql.FORGET, [repositoryId, podName, executionId, fence]);
  await session.inTime(Promise.allSettled([unlocked, forgotten])).catch(() => undefined);
}

/** Returns the repositories whose leases this session still holds. Resolves however late the answer comes. */
export async function renewLocks(
  session: LeaseSession,
  podName: string,
  runs: readonly LeaseRun[],
): Promise<Set<string>> {
  const rows = await session.query<{ repositoryId: string }>(sql.RENEW, [
    runs.map(({ repositoryId }) => repositoryId),
    runs.map(({ executionId }) => executionId),
    runs.map(({ fence }) => fence),
    podName,
  ]);
  return new Set(rows.map(({ repositoryId }) => repositoryId));
}

/** Ends the session of a holder that has not renewed within the TTL: its process hangs or is cut off. */
export async function endExpired(
  session: LeaseSession,
  repositoryId: string,
  ttlMs: number,
): Promise<LeaseHolder | null> {
  const ended = session.query<LeaseHolder>(sql.TERMINATE_EXPIRED, [repositoryId, ttlMs / 1000]);
  const [holder] = await session.inTime(ended);
  return holder ?? null;
}

/**
 * Takes a lease from its holder, for an operator or the reaper. Ends the holder's session when the holder does not
 * release the lease in time.
 * @returns false when this holder does not hold the lease.
 * @throws temporary `lease_unavailable`.
 */
export async function breakLock(
  session: LeaseSession,
  repositoryId: string,
  { podName, executionId, fence }: LeaseHolder,
  { patienceMs, onSilent }: { patienceMs: number; onSilent: () => void },
): Promise<boolean> {
  const holder = [repositoryId, podName, executionId, fence];
  const query = (text: string, ...more: readonly unknown[]): Promise<object[]> =>
    session.inTime(session.query(text, [...holder, ...more]));
  const isFreed = async (limitMs: number): Promise<boolean> => {
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      if ((await query(sql.IS_HELD_BY)).length === 0) return true;
      if (waitedMs >= limitMs) return false;
      await sleep(POLL_MS);
    }
  };
  // From now on the holder cannot renew, and a live holder is notified.
  if ((await query(sql.BREAK, sql.BROKEN_CHANNEL)).length === 0) return false;
  if (await isFreed(patienceMs)) return true;
  onSilent();
  await query(sql.TERMINATE_HOLDER);
  if (await isFreed(BREAK_PATIENCE_MS)) return true;
  const message = `The session of ${podName} could not be ended. End it in Postgres (pg_stat_activity).`;
  throw new RepotideError('temporary', 'lease_unavailable', message);
}

/** Distinguishes these locks from other advisory locks of the database. */
const NAMESPACE = 'repotide repository lease ';

/**
 * The two keys of a repository's advisory lock: 62 bits of a hash, so that two repositories never share one in
 * practice. Not negative: `pg_locks` shows them unsigned.
 */
function leaseKey(repositoryId: string): [lockClass: number, lockObject: number] {
  const hash = createHash('sha256')
    .update(NAMESPACE + repositoryId)
    .digest();
  return [hash.readUInt32BE(0) >>> 1, hash.readUInt32BE(4) >>> 1];
}
