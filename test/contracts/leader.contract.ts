import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type LeaderElection } from '@core/domain';

export interface ElectionsUnderTest {
  /** A candidate of the pod with this name. */
  open(podName: string): Promise<LeaderElection>;
  close(): Promise<void>;
  /** Whether candidates of several pods compete. */
  spansPods: boolean;
}

/** Tests every promise of {@link LeaderElection} against one implementation. */
export function leaderContract(name: string, factory: () => Promise<ElectionsUnderTest>): void {
  describe(`LeaderElection: ${name}`, () => {
    let subject: ElectionsUnderTest;
    const candidates: LeaderElection[] = [];

    beforeAll(async () => {
      subject = await factory();
    });
    afterEach(async () => {
      for (const candidate of candidates.splice(0)) await candidate.stepDown();
    });
    afterAll(() => subject?.close());

    async function open(podName: string): Promise<LeaderElection> {
      const candidate = await subject.open(podName);
      candidates.push(candidate);
      return candidate;
    }

    it('makes the first candidate the leader at once, and reports it', async () => {
      const election = await open('pod-a');
      expect(election.isLeader()).toBe(true);
      expect(await election.leader()).toBe('pod-a');
    });

    it('does not remove the next leader when a former one steps down twice', async () => {
      const election = await open('pod-a');
      await election.stepDown();
      expect(election.isLeader()).toBe(false);
      expect(await election.leader()).toBeNull();
      const next = await open('pod-b');
      await election.stepDown();
      expect(next.isLeader()).toBe(true);
      expect(await next.leader()).toBe('pod-b');
    });

    it('has one leader among many, and another one after each that steps down', async () => {
      if (!subject.spansPods) return;
      const pods = new Map<string, LeaderElection>();
      for (const podName of ['pod-a', 'pod-b', 'pod-c']) pods.set(podName, await open(podName));
      while (pods.size > 0) {
        const leading = [...pods].filter(([, election]) => election.isLeader());
        expect(leading.length).toBeLessThanOrEqual(1);
        const [podName, election] = leading[0] ?? [];
        if (podName === undefined || election === undefined) {
          await sleep(5);
          continue;
        }
        for (const other of pods.values()) expect(await other.leader()).toBe(podName);
        await election.stepDown();
        pods.delete(podName);
      }
    });

    it('separates a process from an earlier one with the same pod name', async () => {
      if (!subject.spansPods) return;
      const leader = await open('pod-a');
      const successor = await open('pod-a');
      expect(successor.isLeader()).toBe(false);
      await successor.stepDown();
      expect(await leader.leader()).toBe('pod-a');
      expect(leader.isLeader()).toBe(true);
    });
  });
}
