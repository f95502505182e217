import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Lease, type LeaseManager } from '@core/domain';

export interface LeasesUnderTest {
  /** A manager of the pod with this name; `close` below closes it. */
  open(podName: string): Promise<LeaseManager>;
  close(): Promise<void>;
  /** Whether two managers see the leases of each other; if not, all tests use one manager. */
  spansPods: boolean;
  /** Leases end after this many milliseconds unless they are renewed; null: never. */
  expiresAfterMs: number | null;
  /** A lease outlives the `close` of its manager, so the next holder has to wait for it. */
  survivesRestart: boolean;
}

/** Tests every promise of {@link LeaseManager} against one implementation. */
export function leaseContract(name: string, factory: () => Promise<LeasesUnderTest>): void {
  describe(`LeaseManager: ${name}`, () => {
    let subject: LeasesUnderTest;
    let mine: LeaseManager;
    let others: LeaseManager;
    let lastFence = 0;

    beforeAll(async () => {
      subject = await factory();
      mine = await subject.open('pod-a');
      others = subject.spansPods ? await subject.open('pod-b') : mine;
    });
    afterAll(() => subject?.close());

    const newRun = (repositoryId: string = randomUUID()) => ({
      repositoryId,
      executionId: randomUUID(),
      fence: ++lastFence,
    });
    async function held(manager: LeaseManager, run = newRun()): Promise<Lease> {
      const lease = await manager.acquire(run);
      if (!lease) throw new Error('the lease was refused');
      return lease;
    }

    it('grants a repository to one run at a time, on any pod', async () => {
      const run = newRun();
      const lease = await held(mine, run);
      expect(lease.signal.aborted).toBe(false);
      expect(await others.acquire(newRun(run.repositoryId))).toBeNull();
      expect(await mine.acquire(newRun(run.repositoryId))).toBeNull();
      expect(await mine.acquire(run)).toBeNull();
      await lease.release();
    });

    it('keeps the leases of repositories separate', async () => {
      const leases = [await held(mine), await held(others), await held(mine)];
      for (const lease of leases) await lease.release();
    });

    it('grants at most one of many concurrent requests, and the next one after its release', async () => {
      const { repositoryId } = newRun();
      const ask = (_: unknown, index: number): Promise<Lease | null> =>
        (index % 2 === 0 ? mine : others).acquire(newRun(repositoryId));
      const winners = (await Promise.all(Array.from({ length: 12 }, ask))).filter((lease) => lease !== null);
      expect(winners.length).toBeLessThanOrEqual(1);
      await winners[0]?.release();
      await (await held(others, newRun(repositoryId))).release();
    });

    it('returns the holder of a lease', async () => {
      const run = newRun();
      expect(await others.holderOf(run.repositoryId)).toBeNull();
      const lease = await held(mine, run);
      const { executionId, fence } = run;
      expect(await others.holderOf(run.repositoryId)).toEqual({ podName: 'pod-a', executionId, fence });
      await lease.release();
      expect(await others.holderOf(run.repositoryId)).toBeNull();
    });

    it('lists exactly the leases that are held', async () => {
      const runs = [newRun(), newRun(), newRun()];
      const leases: Lease[] = [];
      for (const run of runs) leases.push(await held(mine, run));
      await leases[1]?.release();
      const listed = (await others.list()).sort((left, right) => left.fence - right.fence);
      const asHeld = (run: object | undefined): object => ({ ...run, podName: 'pod-a' });
      expect(listed).toMatchObject([asHeld(runs[0]), asHeld(runs[2])]);
      for (const { expiresAt } of listed) {
        if (subject.expiresAfterMs === null) expect(expiresAt).toBeNull();
        else expect(expiresAt?.getTime()).toBeGreaterThan(Date.now() - subject.expiresAfterMs);
      }
      for (const lease of leases) await lease.release();
      expect(await others.list()).toEqual([]);
    });

    it('allows a second release, which does not release the lease of the next holder', async () => {
      const run = newRun();
      const first = await held(mine, run);
      await first.release();
      const next = newRun(run.repositoryId);
      const second = await held(others, next);
      await first.release();
      expect((await mine.holderOf(run.repositoryId))?.executionId).toBe(next.executionId);
      expect(second.signal.aborted).toBe(false);
      await second.release();
    });

    describe('breakLease', () => {
      it('removes the lease, and its holder is notified', async () => {
        const run = newRun();
        const lease = await held(mine, run);
        const lost = lease.signal.aborted ? null : once(lease.signal, 'abort');
        const holder = await others.holderOf(run.repositoryId);
        if (!holder) throw new Error('no lease is held');
        expect(await others.breakLease(run.repositoryId, holder)).toBe(true);
        expect(await others.breakLease(run.repositoryId, holder)).toBe(false);
        const next = await held(others, newRun(run.repositoryId));
        await lost;
        expect(lease.signal.reason).toMatchObject({ kind: 'temporary', code: 'lease_lost' });
        await lease.release();
        expect(await mine.acquire(newRun(run.repositoryId))).toBeNull();
        await next.release();
      });

      it('does nothing unless the holder matches exactly', async () => {
        const run = newRun();
        const lease = await held(mine, run);
        const holder = { podName: 'pod-a', executionId: run.executionId, fence: run.fence };
        const wrong = [
          { ...holder, fence: run.fence + 1 },
          { ...holder, podName: 'pod-b' },
          { ...holder, executionId: randomUUID() },
        ];
        for (const other of wrong) expect(await others.breakLease(run.repositoryId, other)).toBe(false);
        expect(await others.breakLease(randomUUID(), holder)).toBe(false);
        expect(await others.holderOf(run.repositoryId)).toEqual(holder);
        await lease.release();
      });
    });

    it('keeps a lease for as long as its run needs it', async () => {
      const run = newRun();
      const lease = await held(mine, run);
      const until = performance.now() + 2 * (subject.expiresAfterMs ?? 10);
      while (performance.now() < until) {
        expect(await others.acquire(newRun(run.repositoryId))).toBeNull();
        await sleep(20);
      }
      expect(lease.signal.aborted).toBe(false);
      await lease.release();
    });

    it('does not release the lease of an active run when a manager closes', async () => {
      if (!subject.spansPods) return;
      const leaving = await subject.open('pod-c');
      const run = newRun();
      await held(leaving, run);
      await leaving.close();
      if (subject.survivesRestart) {
        expect((await mine.holderOf(run.repositoryId))?.podName).toBe('pod-c');
      }
      // No manager renews it, so it becomes free.
      let next: Lease | null = null;
      while (!next) next = await mine.acquire(newRun(run.repositoryId));
      await next.release();
    });
  });
}
