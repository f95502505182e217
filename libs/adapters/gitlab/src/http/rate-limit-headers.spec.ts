import { describe, expect, it } from '@jest/globals';
import { quotaResetAt, retryAfter } from './rate-limit-headers.js';

const now = new Date('2026-03-01T12:00:00Z');
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const unixSeconds = (date: Date) => String(date.getTime() / 1000);

describe('retryAfter', () => {
  it('reads seconds and dates', () => {
    expect(retryAfter({ 'retry-after': '7' }, now)).toEqual(after(7));
    expect(retryAfter({ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, now)).toEqual(after(30));
  });

  it('takes a date in the past as now', () => {
    expect(retryAfter({ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, now)).toEqual(now);
  });

  it('ignores an unreadable value', () => {
    expect(retryAfter({ 'retry-after': 'soon' }, now)).toBeNull();
    expect(retryAfter({ 'retry-after': '-5x' }, now)).toBeNull();
    expect(retryAfter({}, now)).toBeNull();
  });
});

describe('quotaResetAt', () => {
  it('prefers Retry-After', () => {
    const headers = { 'retry-after': '7', 'ratelimit-reset': unixSeconds(after(40)) };
    expect(quotaResetAt(headers, now)).toEqual(after(7));
  });

  it('falls back to the end of the window', () => {
    expect(quotaResetAt({ 'ratelimit-reset': unixSeconds(after(40)) }, now)).toEqual(after(40));
    const usedUp = { 'ratelimit-reset': unixSeconds(after(40)), 'ratelimit-remaining': '0' };
    expect(quotaResetAt(usedUp, now)).toEqual(after(40));
  });

  it('ignores the window of another limit, and one that has passed', () => {
    const other = { 'ratelimit-reset': unixSeconds(after(40)), 'ratelimit-remaining': '1200' };
    expect(quotaResetAt(other, now)).toEqual(after(60));
    expect(quotaResetAt({ 'ratelimit-reset': unixSeconds(after(-5)) }, now)).toEqual(after(60));
    expect(quotaResetAt({ 'ratelimit-reset': 'never' }, now)).toEqual(after(60));
  });

  it('waits a minute when the headers have no time', () => {
    expect(quotaResetAt({}, now)).toEqual(after(60));
  });
});
