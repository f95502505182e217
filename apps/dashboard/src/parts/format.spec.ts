import { describe, expect, it } from '@jest/globals';
import { formatBytes, formatDistance, formatDuration, formatPercent } from './format.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('formatting', () => {
  it.each([
    [null, '–'],
    [0, '0.0 s'],
    [0.04, '< 0.1 s'],
    [9.94, '9.9 s'],
    [59, '59 s'],
    [60, '1 min'],
    [200, '3 min 20 s'],
    [7_500, '2 h 5 min'],
    [3_605, '1 h'],
    [86_400 * 4 + 3_600, '4 d 1 h'],
  ])('formats a duration of %p seconds as %p', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  it.each([
    ['2026-03-01T11:59:58Z', 'just now'],
    ['2026-03-01T12:00:02Z', 'now'],
    ['2026-03-01T11:57:00Z', '3 min ago'],
    ['2026-03-01T14:30:00Z', 'in 2 h'],
    ['2026-02-26T12:00:00Z', '3 d ago'],
  ])('formats the distance to %p as %p', (instant, text) => {
    expect(formatDistance(instant, NOW)).toBe(text);
  });

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [5 * 1024 ** 3, '5.0 GiB'],
  ])('formats %p bytes as %p', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [null, '–'],
    [1, '100 %'],
    [0.9999, '99.9 %'],
    [0, '0 %'],
  ])('formats a share of %p as %p', (share, text) => {
    expect(formatPercent(share)).toBe(text);
  });
});
