import { describe, expect, it } from '@jest/globals';
import { leaseKey, leasePattern, leaseValue, parseLeaseValue, repositoryIdOf } from './keys.js';

const EXECUTION = '0198b5c2-7d11-7a34-9b70-2f8e7f1d6c55';

describe('the lease in Redis', () => {
  it('has the documented key and value', () => {
    const key = leaseKey('repotide', 'r1');
    expect(key).toBe('repotide:scheduler_lock:repo_sync_r1');
    expect(repositoryIdOf('repotide', key)).toBe('r1');
    expect(leaseValue({ podName: 'pod-7', executionId: EXECUTION, fence: 42 })).toBe(`pod-7:${EXECUTION}:42`);
  });

  it.each([
    { podName: 'repotide-6d5f-x2x', executionId: EXECUTION, fence: 9_007_199_254_740_991 },
    { podName: 'host:3000', executionId: EXECUTION, fence: 1 },
  ])('is read back as it was written: %p', (holder) => {
    expect(parseLeaseValue(leaseValue(holder))).toEqual(holder);
  });

  it.each(['pod-of-a-predecessor', 'pod:not-a-fence', 'a:b:-1', '', ':::'])(
    'shows a value of another form, and can name it again: %p',
    (value) => {
      const holder = parseLeaseValue(value);
      expect(holder).toEqual({ podName: value, executionId: '', fence: 0 });
      expect(leaseValue(holder)).toBe(value);
    },
  );

  it('takes the prefix literally when it looks for leases', () => {
    expect(leasePattern('a*[b]?\\')).toBe('a\\*\\[b\\]\\?\\\\:scheduler_lock:repo_sync_*');
  });
});
