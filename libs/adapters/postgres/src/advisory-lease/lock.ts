import { setTimeout as sleep } from 'node:timers/promises';
import { type LeaseHolder } from '@core/domain';
import { type LeaseRun } from './held-lease.js';
import { leaseKey } from './lease-key.js';
import { type LeaseSession } from './lease-session.js';
import * as sql from './statements.js';

const POLL_MS = 50;

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

/** Takes a lease from its holder, for an operator or the reaper. */
export class BrokenLease {
  private readonly holder: readonly unknown[];

  constructor(
    private readonly session: LeaseSession,
    repositoryId: string,
    { podName, executionId, fence }: LeaseHolder,
  ) {
    this.holder = [repositoryId, podName, executionId, fence];
  }

  /**
   * From now on the holder cannot renew, and a live holder is notified. False when this holder does not hold
   * the lease.
   */
  async mark(): Promise<boolean> {
    return (await this.ask(sql.BREAK, sql.BROKEN_CHANNEL)).length > 0;
  }

  async isFreed(patienceMs: number): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      if ((await this.ask(sql.IS_HELD_BY)).length === 0) return true;
      if (waitedMs >= patienceMs) return false;
      await sleep(POLL_MS);
    }
  }

  async endSession(): Promise<void> {
    await this.ask(sql.TERMINATE_HOLDER);
  }

  private ask(text: string, ...more: readonly unknown[]): Promise<object[]> {
    return this.session.inTime(this.session.query(text, [...this.holder, ...more]));
  }
}
