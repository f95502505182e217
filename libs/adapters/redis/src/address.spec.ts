import { describe, expect, it } from '@jest/globals';
import { addressOf } from './address.js';

describe('addressOf', () => {
  it.each([
    ['redis://redis:6380/2', 'redis:6380'],
    ['rediss://user:s3cret@cache.example.com', 'cache.example.com:6379'],
    ['redis://:s3cret@[::1]:7000/0?family=6', '[::1]:7000'],
  ])('of %s is %s', (url, address) => {
    expect(addressOf(url)).toBe(address);
  });

  it.each(['http://u:s3cret@redis:6379', 'redis:6379 s3cret', 'redis://h/s3cret', 'redis://h:99999/s3cret'])(
    'refuses %s without repeating it',
    (url) => {
      let thrown: unknown;
      try {
        addressOf(url);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ kind: 'invalid', code: 'redis_url_invalid' });
      expect(String(thrown)).not.toContain('s3cret');
      expect(String(thrown)).toContain('REDIS_URL');
    },
  );
});
