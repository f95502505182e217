import { describe, expect, it } from '@jest/globals';
import { PodCache } from './pod-cache.js';
import { type PodSnapshot } from './pod-snapshot.js';

function pod(name: string, changes: Partial<PodSnapshot> = {}): PodSnapshot {
  return {
    name,
    uid: `${name}-1`,
    containerId: 'c',
    restartCount: 0,
    hasEnded: false,
    isLost: false,
    ...changes,
  };
}

function setUp() {
  const reported: string[] = [];
  return { reported, cache: new PodCache((podName, { reason }) => reported.push(`${podName} ${reason}`)) };
}

describe('PodCache', () => {
  it('returns the known pods that a list lacks, and does not report them as deleted', () => {
    const { reported, cache } = setUp();
    cache.setAll([pod('a'), pod('b')]);
    expect(cache.setAll([pod('b')])).toEqual([pod('a')]);
    expect(cache.stateOf('a')).toBe('alive');
    expect(reported).toEqual([]);
  });

  it('does not remove the successor of a deleted pod', () => {
    const { reported, cache } = setUp();
    cache.set(pod('a'));
    cache.set(pod('a', { uid: 'a-2' }));
    cache.remove(pod('a'), false);
    expect(cache.stateOf('a')).toBe('alive');
    expect(reported).toEqual(['a replaced']);
  });

  it('reports a deleted pod whose end was not reported before', () => {
    const { reported, cache } = setUp();
    cache.set(pod('a'));
    cache.remove(pod('a', { hasEnded: true }), false);
    expect(reported).toEqual(['a deleted']);
  });

  it('reports a name as deleted until another pod has it', () => {
    const { cache } = setUp();
    cache.set(pod('a'));
    cache.remove(pod('a'), false);
    expect(cache.stateOf('a')).toBe('ended');
    cache.set(pod('a', { uid: 'a-2' }));
    expect(cache.stateOf('a')).toBe('alive');
    cache.untrack(pod('a', { uid: 'a-2' }));
    expect(cache.stateOf('a')).toBe('unknown');
  });

  it('removes the oldest deleted names, so that its size is limited', () => {
    const { cache } = setUp();
    for (let index = 0; index < 1001; index++) {
      cache.set(pod(`p${index}`));
      cache.remove(pod(`p${index}`), false);
    }
    expect(cache.stateOf('p0')).toBe('unknown');
    expect(cache.stateOf('p1')).toBe('ended');
    expect(cache.stateOf('p1000')).toBe('ended');
  });
});
