import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Lease, type LeaseManager } from '@core/domain';

export interface LeasesUnderTest {
  /** A manager as the pod of this name has it; closed by `close` below at the latest. */
  open(podName: string): Promise<LeaseManager>;
  close(): Promise<void>;
  /** Two managers see each other's leases; without, all tests go through one. */
  spansPods: boolean;
  /** Leases end by themselves after so many milliseconds unless they are renewed; null: never. */
  expiresAfterMs: number | null;
  /** A lease outlives its manager's `close`: whoever comes next has to wait for it. */
  survivesRestart: boolean;
}

/** Every promise of {@link LeaseManager}, held against one implementation. */
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

    it('gives a repository to one run at a time, whoever asks', async () => {
      const run = newRun();
      const lease = await held(mine, run);
      expect(lease.signal.aborted).toBe(false);
      expect(await others.acquire(newRun(run.repositoryId))).toBeNull();
      expect(await mine.acquire(newRun(run.repositoryId))).toBeNull();
      expect(await mine.acquire(run)).toBeNull();
      await lease.release();
    });

    it('keeps repositories apart', async () => {
      const leases = [await held(mine), await held(others), await held(mine)];
      for (const lease of leases) await lease.release();
    });

    it('gives it to at most one of many who ask at once, and to the next after its release', async () => {
      const { repositoryId } = newRun();
      const ask = (_: unknown, index: number): Promise<Lease | null> =>
        (index % 2 === 0 ? mine : others).acquire(newRun(repositoryId));
      const winners = (await Promise.all(Array.from({ length: 12 }, ask))).filter((lease) => lease !== null);
      expect(winners.length).toBeLessThanOrEqual(1);
      await winners[0]?.release();
      await (await held(others, newRun(repositoryId))).release();
    });

    it('tells who holds it', async () => {
      const run = newRun();
      expect(await others.holderOf(run.repositoryId)).toBeNull();
      const lease = await held(mine, run);
      const { executionId, fence } = run;
      expect(await others.holderOf(run.repositoryId)).toEqual({ podName: 'pod-a', executionId, fence });
      await lease.release();
      expect(await others.holderOf(run.repositoryId)).toBeNull();
    });

    it('lists what is held, and nothing else', async () => {
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

    it('does not mind a second release, and never takes the next holder its lease', async () => {
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
      it('takes it from its holder, who hears of it', async () => {
        const run = newRun();
        const lease = await held(mine, run);
        const lost = lease.signal.aborted ? null : once(lease.signal, 'abort');
        const holder = await others.holderOf(run.repositoryId);
        if (!holder) throw new Error('nobody holds it');
        expect(await others.breakLease(run.repositoryId, holder)).toBe(true);
        expect(await others.breakLease(run.repositoryId, holder)).toBe(false);
        const next = await held(others, newRun(run.repositoryId));
        await lost;
        expect(lease.signal.reason).toMatchObject({ kind: 'temporary', code: 'lease_lost' });
        await lease.release();
        expect(await mine.acquire(newRun(run.repositoryId))).toBeNull();
        await next.release();
      });

      it('spares everybody but exactly the holder named', async () => {
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

    it('stays held for as long as its run needs it', async () => {
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

    it('is not given back by a manager that closes', async () => {
      if (!subject.spansPods) return;
      const leaving = await subject.open('pod-c');
      const run = newRun();
      await held(leaving, run);
      await leaving.close();
      if (subject.survivesRestart) {
        expect((await mine.holderOf(run.repositoryId))?.podName).toBe('pod-c');
      }
      // Nobody renews it any more, so it comes free by itself.
      let next: Lease | null = null;
      while (!next) next = await mine.acquire(newRun(run.repositoryId));
      await next.release();
    });
  });
}
