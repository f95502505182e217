import { describe, expect, it } from '@jest/globals';
import { paceOf } from './pace.js';

const begun = { files: 0, share: 0, atMs: 1000 };

describe('the pace of a run', () => {
  it('is the files a second since its work began, and the time that the rest takes at this pace', () => {
    expect(paceOf(begun, { files: 50, share: 0.25, atMs: 11_000 })).toEqual({
      filesPerSecond: 5,
      etaSeconds: 30,
    });
  });

  it('is unknown in the first seconds, and while nothing is done', () => {
    expect(paceOf(begun, { files: 9, share: 0.5, atMs: 2000 })).toEqual({
      filesPerSecond: null,
      etaSeconds: null,
    });
    expect(paceOf(begun, { files: 0, share: 0, atMs: 61_000 })).toEqual({
      filesPerSecond: 0,
      etaSeconds: null,
    });
  });

  it('counts only what this attempt does', () => {
    const takenOver = { files: 0, share: 0.5, atMs: 0 };
    expect(paceOf(takenOver, { files: 10, share: 0.75, atMs: 10_000 })).toEqual({
      filesPerSecond: 1,
      etaSeconds: 10,
    });
  });
});
