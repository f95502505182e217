import { describe, expect, it } from '@jest/globals';
import { PodLedger } from './pod-ledger.js';
import { type PodSighting } from './pod-sighting.js';

function pod(name: string, changes: Partial<PodSighting> = {}): PodSighting {
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

function ledger() {
  const told: string[] = [];
  return { told, book: new PodLedger((podName, { reason }) => told.push(`${podName} ${reason}`)) };
}

describe('PodLedger', () => {
  it('names those that a list no longer has, and decides nothing about them', () => {
    const { told, book } = ledger();
    book.seeAll([pod('a'), pod('b')]);
    expect(book.seeAll([pod('b')])).toEqual([pod('a')]);
    expect(book.stateOf('a')).toBe('alive');
    expect(told).toEqual([]);
  });

  it('removes only the pod it was told of, not its successor', () => {
    const { told, book } = ledger();
    book.see(pod('a'));
    book.see(pod('a', { uid: 'a-2' }));
    book.remove(pod('a'), false);
    expect(book.stateOf('a')).toBe('alive');
    expect(told).toEqual(['a replaced']);
  });

  it('tells of a deletion whose event already shows the end, if that was not told before', () => {
    const { told, book } = ledger();
    book.see(pod('a'));
    book.remove(pod('a', { hasEnded: true }), false);
    expect(told).toEqual(['a deleted']);
  });

  it('takes a deleted name for gone until a pod has it again', () => {
    const { book } = ledger();
    book.see(pod('a'));
    book.remove(pod('a'), false);
    expect(book.stateOf('a')).toBe('gone');
    book.see(pod('a', { uid: 'a-2' }));
    expect(book.stateOf('a')).toBe('alive');
    book.forget(pod('a', { uid: 'a-2' }));
    expect(book.stateOf('a')).toBe('unknown');
  });

  it('forgets the oldest deleted names, so that it does not grow for ever', () => {
    const { book } = ledger();
    for (let index = 0; index < 1001; index++) {
      book.see(pod(`p${index}`));
      book.remove(pod(`p${index}`), false);
    }
    expect(book.stateOf('p0')).toBe('unknown');
    expect(book.stateOf('p1')).toBe('gone');
    expect(book.stateOf('p1000')).toBe('gone');
  });
});
