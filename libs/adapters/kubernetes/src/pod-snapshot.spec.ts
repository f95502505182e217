import { describe, expect, it } from '@jest/globals';
import { type V1ContainerStatus, type V1Pod } from '@kubernetes/client-node';
import { type PodSnapshot, snapshotOf, endBetween } from './pod-snapshot.js';

const RUNNING: PodSnapshot = {
  name: 'repotide-a',
  uid: 'u1',
  containerId: 'c1',
  restartCount: 0,
  hasEnded: false,
  isLost: false,
};
const ENDED = { ...RUNNING, hasEnded: true };
const RESTARTED = { ...RUNNING, containerId: 'c2', restartCount: 1 };
const REPLACED = { ...RUNNING, uid: 'u2', containerId: 'c9' };
const STARTING = { ...RUNNING, containerId: null };

describe('endBetween', () => {
  it.each<[string, PodSnapshot | undefined, PodSnapshot, ReturnType<typeof endBetween>]>([
    ['a first snapshot of a running pod', undefined, RUNNING, null],
    ['a first snapshot of an ended pod', undefined, ENDED, { reason: 'ended', hasSuccessor: false }],
    ['no change', RUNNING, RUNNING, null],
    ['the first container of a pod', STARTING, RUNNING, null],
    ['an end', RUNNING, ENDED, { reason: 'ended', hasSuccessor: false }],
    ['a known end', ENDED, ENDED, null],
    ['the restart after a known end', ENDED, RESTARTED, null],
    ['a restart', RUNNING, RESTARTED, { reason: 'restarted', hasSuccessor: true }],
    [
      'a restart that shows by its count only',
      RUNNING,
      { ...STARTING, restartCount: 1 },
      { reason: 'restarted', hasSuccessor: true },
    ],
    [
      'a restart that shows by its container only',
      RUNNING,
      { ...RUNNING, containerId: 'c2' },
      { reason: 'restarted', hasSuccessor: true },
    ],
    [
      'a restart that has ended too',
      RUNNING,
      { ...RESTARTED, hasEnded: true },
      { reason: 'restarted', hasSuccessor: false },
    ],
    [
      'a second end after a known one: a process came and went unseen',
      ENDED,
      { ...RESTARTED, hasEnded: true },
      { reason: 'restarted', hasSuccessor: false },
    ],
    ['another pod of the name', RUNNING, REPLACED, { reason: 'replaced', hasSuccessor: true }],
    ['another pod after a known end', ENDED, REPLACED, null],
    ['a node that went silent', RUNNING, { ...RUNNING, isLost: true }, null],
  ])('%s', (_, before, now, end) => expect(endBetween(before, now)).toEqual(end));
});

function pod(phase: string, ...containerStatuses: Partial<V1ContainerStatus>[]): V1Pod {
  const statuses = containerStatuses.map((status) => ({ name: 'repotide', ...status }) as V1ContainerStatus);
  return { metadata: { name: 'repotide-a', uid: 'u1' }, status: { phase, containerStatuses: statuses } };
}

describe('snapshotOf', () => {
  const hasEnded = (object: V1Pod) => snapshotOf(object, 'repotide').hasEnded;
  const ended = { terminated: { exitCode: 137 } };

  it('reads the service’s container among others', () => {
    const object = pod('Running', { name: 'mesh', containerID: 'm1', state: ended }, { containerID: 'c1' });
    expect(snapshotOf(object, 'repotide')).toMatchObject({ containerId: 'c1', hasEnded: false });
  });

  it('reads the only container under any name, but none of several unknown ones', () => {
    expect(hasEnded(pod('Running', { name: 'renamed', state: ended }))).toBe(true);
    expect(hasEnded(pod('Running', { name: 'renamed', state: ended }, { name: 'mesh', state: ended }))).toBe(
      false,
    );
  });

  it('reads the end from the phase, the state, or the wait for a restart', () => {
    expect(hasEnded(pod('Failed'))).toBe(true);
    expect(hasEnded(pod('Succeeded'))).toBe(true);
    expect(hasEnded(pod('Running', { state: ended }))).toBe(true);
    expect(hasEnded(pod('Running', { state: { waiting: {} }, lastState: ended }))).toBe(true);
  });

  it('reads no end from a first start, a restarted container, or an unknown phase', () => {
    expect(hasEnded(pod('Pending', { state: { waiting: {} }, lastState: {} }))).toBe(false);
    expect(hasEnded(pod('Running', { state: { running: {} }, lastState: ended }))).toBe(false);
    expect(hasEnded(pod('Unknown', {}))).toBe(false);
    expect(hasEnded({})).toBe(false);
  });
});
